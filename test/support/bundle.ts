/** Makes a program of ours that stands in a TypeScript file runnable by itself, in a process of its own. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Answers the path of the program. */
export async function bundle(entry: URL, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // For packages that are still written with `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    target: 'node20.19',
    logLevel: 'silent',
  });
  return outfile;
}
