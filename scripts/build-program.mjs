/**
 * Builds the command line as a few scripts ("packs"), each of which is loaded whole and has its own compiled form (see
 * src/front/cli/load-program.ts for the reason). The first has what every session needs before its first request, so
 * that nothing else is read, compiled or taken from the compiled form on the way there.
 */

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** What each pack has: the modules named here and all they import, except what an earlier pack has. */
const PACKS = {
  program: [
    'src/front/cli/run-program.ts',
    'src/front/cli/run-main.ts',
    'src/front/cli/run-print.ts',
    'src/model/anthropic/connect.ts',
    'src/gate/sandbox/guards/sandbox-state.ts',
  ],
  calls: ['src/gate/permissions/judge.ts', 'src/gate/sandbox/create-sandbox.ts'],
  definitions: [
    'src/config/definitions/parse-definition.ts',
    'src/config/definitions/parse-json-definitions.ts',
    'src/config/skills/parse-skill.ts',
  ],
  // A project with skills has them at every start; the next is what typing one, or `@file`, needs.
  skills: [
    'src/config/skills/load-skills.ts',
    'src/config/skills/skills-below.ts',
    'src/config/skills/skill-usage.ts',
    'src/agents/skills/skill-set.ts',
  ],
  prompts: [
    'src/engine/prompt/expand-prompt.ts',
    'src/agents/skills/use-skill.ts',
    'src/agents/skills/load-skill-texts.ts',
    'src/engine/skills/skill-approvals.ts',
  ],
  // Apart from the rest, which other commands load whole: a program at the other end, and its first requests.
  control: [
    'src/front/cli/control/run-stream-input.ts',
    'src/engine/inspect/report-kinds.ts',
    'src/config/output-styles/load-styles.ts',
  ],
  // What is painted before anything else is loaded; then the conversation.
  terminal: ['src/front/cli/terminal/run-terminal.ts'],
  conversation: ['src/front/cli/terminal/run-sessions.ts', 'src/session/store/prompt-history.ts'],
  acp: ['src/front/cli/acp/run-acp.ts'],
  rest: undefined,
};

/** Writes the packs into `folder`. Returns their file names, by pack. */
export async function buildProgram(common, folder) {
  const chunks = await splitIntoChunks(common);
  const packOf = assignChunks(chunks);
  const names = {};
  for (const pack of Object.keys(PACKS)) {
    const code = await buildPack(common, pack, chunks, packOf);
    // Packs refer to each other's chunks by names with hashes, so one hash per pack is enough.
    const hash = createHash('sha256').update(code).digest('hex').slice(0, 12);
    names[pack] = `${pack}-${hash}.cjs`;
    await writeFile(join(folder, names[pack]), code);
  }
  return names;
}

/** By name: the chunk's code, the chunks it needs when it is loaded, and the source it was made for, if any. */
async function splitIntoChunks(common) {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: { program: PACKS.program[0] },
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
  });
  const code = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint, imports }]) => {
      const needs = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      return [
        basename(path),
        { entryPoint, code: code.get(basename(path)), needs: needs.map((one) => basename(one.path)) },
      ];
    }),
  );
}

function assignChunks(chunks) {
  const packOf = new Map();
  const assign = (name, pack) => {
    if (packOf.has(name)) return;
    packOf.set(name, pack);
    for (const needed of chunks.get(name).needs) assign(needed, pack);
  };
  for (const [pack, sources] of Object.entries(PACKS)) {
    for (const [name, { entryPoint }] of chunks) {
      if (sources === undefined || sources.includes(entryPoint)) assign(name, pack);
    }
    if (pack === 'program') assignSmall(chunks, packOf);
    for (const source of sources ?? []) {
      const isThere = [...chunks.values()].some(({ entryPoint }) => entryPoint === source);
      if (!isThere) throw new Error(`${source} is not loaded on demand: take it out of the pack "${pack}"`);
    }
  }
  return packOf;
}

const SMALL_BYTES = 1500;

/** A little that several packs share is with the program: no pack is loaded for its sake. */
function assignSmall(chunks, packOf) {
  const reaches = new Map();
  const reach = (name, pack) => {
    const packs = reaches.get(name) ?? new Set();
    if (packs.has(pack)) return;
    reaches.set(name, packs.add(pack));
    for (const needed of chunks.get(name).needs) reach(needed, pack);
  };
  for (const [pack, sources = []] of Object.entries(PACKS)) {
    for (const [name, { entryPoint }] of chunks) if (sources.includes(entryPoint)) reach(name, pack);
  }
  for (const [name, { code, needs }] of chunks) {
    const isShared = (reaches.get(name)?.size ?? 0) > 1 && !packOf.has(name);
    if (isShared && code.length < SMALL_BYTES && needs.every((needed) => packOf.has(needed)))
      packOf.set(name, 'program');
  }
}

/** One script that gives its chunks on demand, as `chunks['name.js']()`. Those of others come through `require`. */
async function buildPack(common, pack, chunks, packOf) {
  const own = [...chunks.keys()].filter((name) => packOf.get(name) === pack);
  const entry = own.map((name) => `${JSON.stringify(name)}: () => require("./${name}")`);
  const { outputFiles } = await build({
    ...common,
    stdin: { contents: `exports.chunks = {${entry.join(',\n')}};`, resolveDir: '/', sourcefile: 'pack.js' },
    format: 'cjs',
    // A script from V8's compile cache can't use import(), so what is loaded on demand is loaded with require.
    supported: { 'dynamic-import': false },
    // A script has no `import.meta`: whoever loads it says where it is.
    define: { 'import.meta.url': PACK_FILE },
    write: false,
    plugins: [{ name: 'chunks', setup: (bundler) => resolveChunks(bundler, chunks, packOf, pack) }],
  });
  // The wrapper is part of the file: its text goes to V8 as it is, without a copy.
  return escapeRest(
    `(function (exports, require, module, ${PACK_FILE}) {${compileAtOnce(outputFiles[0].text, own.length)}\n})`,
  );
}

const PACK_FILE = '__packFile';

/** Packs are read as one byte per character. Regular expressions are what esbuild leaves as they were written. */
function escapeRest(code) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII.
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * V8 looks through a function that it does not compile yet, and again when it is called; one in parentheses it compiles
 * at once. So the functions around chunks, which esbuild writes as `"chunk:name"(){ … }`, get parentheses.
 */
function compileAtOnce(code, count) {
  const begin = /("chunk:[^"]+")\(\)\{/g;
  const end = new RegExp(`[,;]?${CHUNK_END}\\(\\);?\\}`, 'g');
  if (code.match(begin)?.length !== count || code.match(end)?.length !== count) {
    throw new Error('esbuild writes the functions around chunks otherwise than expected');
  }
  return code.replace(begin, '$1:(function(){').replace(end, '})');
}

/** A call at the end of each chunk, to find that end again. */
const CHUNK_END = '__chunkEnd';

function resolveChunks(bundler, chunks, packOf, own) {
  bundler.onResolve({ filter: /^\.\// }, ({ path }) => {
    const name = basename(path);
    if (!chunks.has(name)) return undefined;
    const pack = packOf.get(name);
    return pack === own ? { path: name, namespace: 'chunk' } : { path: `pack:${pack}/${name}`, external: true };
  });
  bundler.onResolve({ filter: /^[^.]/, namespace: 'chunk' }, ({ path }) => ({ path, external: true }));
  bundler.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
    contents: `${chunks.get(path).code}\n;${CHUNK_END}();`,
    loader: 'js',
  }));
}
