/**
 * Builds dist/: the program, and the library split into chunks that load on demand. `--types` also writes the
 * declarations. `--out <folder>` builds into another folder.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildProgram } from './build-program.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values: flags } = parseArgs({
  // Scripts that import this one have their own flags.
  strict: false,
  options: { out: { type: 'string' }, types: { type: 'boolean' } },
});
const dist = flags.out ?? join(root, 'dist');
// Built in a temporary folder and then renamed: a failed build keeps the last one, and no incomplete build ever runs.
const aside = `${dist}.${process.pid}.tmp`;

const common = {
  absWorkingDir: root,
  outdir: aside,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Loaded on demand from node_modules: a binary, and large libraries for rare inputs or for who has MCP servers.
  external: ['@vscode/ripgrep', 'undici', '@cantoo/pdf-lib', 'turndown', '@modelcontextprotocol/*'],
};

try {
  mkdirSync(aside, { recursive: true });
  const [packs] = await Promise.all([buildProgram(common, aside), buildLibrary()]);
  await buildStarter(packs);
  rmSync(dist, { recursive: true, force: true });
  renameSync(aside, dist);
} finally {
  rmSync(aside, { recursive: true, force: true });
}

if (flags.types) {
  const tsc = ['node_modules/typescript7/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', join(dist, 'types')];
  execFileSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' });
  // They describe ES modules, unlike the program around them.
  writeFileSync(join(dist, 'types', 'package.json'), '{"type":"module"}\n');
}

/** Builds what `import 'coppice'` and `import 'coppice/sim'` load, split into chunks that load on demand. */
function buildLibrary() {
  return build({
    ...common,
    entryPoints: { index: 'src/index.ts', sim: 'src/sim/index.ts' },
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    splitting: true,
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}

/** Writes the executable that the shell starts. Node starts CommonJS sooner than an ES module. */
async function buildStarter(packs) {
  await build({
    ...common,
    entryPoints: { cli: 'src/front/cli/main.ts' },
    format: 'cjs',
    define: { PACKS: JSON.stringify(packs) },
  });
  chmodSync(join(aside, 'cli.js'), 0o755);
  writeFileSync(join(aside, 'package.json'), '{"type":"commonjs"}\n');
}
