/**
 * Loads the program with V8's code cache; compiling the source again would take most of the time before the first
 * request. Like Python's `__pycache__`, the cache is a file beside the code. It is optional: if it is missing, damaged,
 * from another V8, or can't be written, the program starts without it.
 */

import type * as Program from './run-program.js';

type LoadedProgram = typeof Program & {
  /** Saves the compiled form of what has run so far, unless a valid cache exists. Never throws. */
  keepCompiled(): void;
};

export function loadProgram(url: URL): LoadedProgram {
  // Read from the process: import statements would slow down `--version`.
  const { createRequire } = process.getBuiltinModule('node:module');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  const { Script } = process.getBuiltinModule('node:vm');
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const file = fileURLToPath(url);
  const compiledFile = `${file}.${process.versions.v8}-${process.arch}.cache`;
  const compiled = readCompiled(compiledFile);
  // The build output is ASCII, so V8 needs one byte per character. The hash in its name ties the two files together.
  const script = new Script(`(function (exports, require, module) {${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    ...(compiled === undefined ? {} : { cachedData: compiled }),
  });
  const module: { exports: typeof Program } = { exports: {} as typeof Program };
  script.runInThisContext()(module.exports, createRequire(url), module);
  return {
    ...module.exports,
    keepCompiled: () => {
      if (compiled === undefined || script.cachedDataRejected) keepCompiled(compiledFile, script.createCachedData());
    },
  };
}

/** V8 trusts the cache and may crash on damaged data, so the file ends with a checksum. */
const CHECKSUM_BYTES = 4;

function readCompiled(file: string): Buffer | undefined {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  try {
    const kept = process.getBuiltinModule('node:fs').readFileSync(file);
    const compiled = kept.subarray(0, -CHECKSUM_BYTES);
    return crc32(compiled) === kept.readUInt32LE(compiled.length) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Writes atomically: another process may be starting. */
function keepCompiled(file: string, compiled: Buffer): void {
  const { renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const { crc32 } = process.getBuiltinModule('node:zlib');
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(compiled));
  try {
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, Buffer.concat([compiled, checksum]));
    renameSync(temporary, file);
  } catch {
    // This person may not write to the installation.
  }
}
