/** Builds dist/: a bundle split so that nothing is loaded before it is needed. With --types also the declarations. */

import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { cli: 'src/front/cli/main.ts', index: 'src/index.ts', sim: 'src/sim/index.ts' },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Loaded only where they are needed, from node_modules: a binary, and large libraries for rare inputs.
  external: ['@vscode/ripgrep', 'undici', '@cantoo/pdf-lib', 'turndown'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
chmodSync(join(dist, 'cli.js'), 0o755);

if (process.argv.includes('--types')) {
  execFileSync(process.execPath, ['node_modules/typescript7/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
