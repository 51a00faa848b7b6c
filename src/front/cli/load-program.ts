/**
 * Loads the program together with what V8 made of its source the last time: compiling it anew would be most of the time
 * before the first request. Like Python's `__pycache__`, the compiled form lies beside the code. It is never needed: where
 * it is missing, damaged, of another V8, or can't be written, the program starts as it would without.
 */

import type * as Program from './run-program.js';

type LoadedProgram = typeof Program & {
  /** Keeps the compiled form of what has run so far, unless there is one that fits. Never throws. */
  keepCompiled(): void;
};

export function loadProgram(url: URL): LoadedProgram {
  // Taken from the process: import statements would make `--version` wait for them.
  const { createRequire } = process.getBuiltinModule('node:module');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  const { Script } = process.getBuiltinModule('node:vm');
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const file = fileURLToPath(url);
  const compiledFile = `${file}.${process.versions.v8}-${process.arch}.cache`;
  const compiled = readCompiled(compiledFile);
  // The build writes ASCII alone, so that V8 needs a byte a character; the hash in its name ties the two files together.
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

/** V8 believes what it is given and may crash on damage, so a checksum stands at the end. */
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

/** Whole or not at all: another process may be starting. */
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
    // An installation that this person may not write to.
  }
}
