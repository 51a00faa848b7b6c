/** Loads parts of the source that the package does not export, bundled for a row. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
let count = 0;

/** `contents` are exports, with paths from the root of the clone. */
export async function loadSource(stage, contents) {
  count += 1;
  const outfile = join(stage.scratch, `source-${count}.mjs`);
  await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return import(outfile);
}
