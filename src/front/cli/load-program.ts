/**
 * Loads the program with V8's code cache; compiling the source again would take most of the time before the first
 * request. The program consists of packs (scripts/build-program.mjs): the first is loaded at once, the others when
 * something in them is needed.
 */

import { keepCompiled, readCompiled } from './compiled-form.js';
import type * as Program from './run-program.js';

/** The file of each pack by the pack's name; files are named after their content. */
export type Packs = { readonly program: string } & Readonly<Record<string, string>>;

type LoadedProgram = Pick<typeof Program, 'runProgram'> & {
  /** Saves the compiled form of the loaded packs that have none yet. Never throws. */
  keepCompiled(): void;
};

type Pack = {
  /** By name: loads a chunk of the pack and returns its exports. */
  readonly chunks: Readonly<Record<string, () => unknown>>;
  keep(): void;
};

const IN_PACK = /^pack:([^/]+)\/(.*)$/;

export function loadProgram(folder: string, packs: Packs): LoadedProgram {
  // Read from the process: import statements would slow down `--version`.
  const { createRequire } = process.getBuiltinModule('node:module');
  const { join } = process.getBuiltinModule('node:path');
  const outside = createRequire(join(folder, 'program.js'));
  const loaded = new Map<string, Pack>();

  const open = (name: string): Pack => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const pack = loadPack(join(folder, packs[name] ?? name), load);
    loaded.set(name, pack);
    return pack;
  };
  const load = (name: string): unknown => {
    const [, pack, chunk] = IN_PACK.exec(name) ?? [];
    return pack === undefined || chunk === undefined ? outside(name) : open(pack).chunks[chunk]?.();
  };

  const { runProgram } = load('pack:program/program.js') as typeof Program;
  return {
    runProgram,
    keepCompiled: () => {
      for (const pack of loaded.values()) pack.keep();
    },
  };
}

function loadPack(file: string, require: (name: string) => unknown): Pack {
  const { Script } = process.getBuiltinModule('node:vm');
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const compiled = readCompiled(file);
  // The build output is ASCII, so V8 needs one byte per character. The hash in its name ties the two files together.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(compiled === undefined ? {} : { cachedData: compiled }),
  });
  const module: { exports: Pick<Pack, 'chunks'> } = { exports: { chunks: {} } };
  script.runInThisContext()(module.exports, require, module, file);
  return {
    chunks: module.exports.chunks,
    keep: () => {
      if (compiled === undefined || script.cachedDataRejected) keepCompiled(file, script.createCachedData());
    },
  };
}
