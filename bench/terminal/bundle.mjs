/** Bundles the two programs of the terminal rows in the same way: what is loaded on demand is apart. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the files to run, by name. */
export async function bundlePrograms(stage) {
  const programs = { floor: 'bench/floors/terminal/main.mjs', ours: 'bench/terminal/show-session.mjs' };
  const made = Object.entries(programs).map(async ([name, entry]) => {
    const outdir = join(stage.scratch, `terminal-${name}`);
    await build({
      absWorkingDir: ROOT,
      entryPoints: { main: entry },
      outdir,
      bundle: true,
      splitting: true,
      minifySyntax: true,
      minifyWhitespace: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'error',
      outExtension: { '.js': '.mjs' },
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
    });
    return [name, join(outdir, 'main.mjs')];
  });
  return Object.fromEntries(await Promise.all(made));
}
