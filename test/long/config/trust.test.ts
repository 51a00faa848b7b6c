import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { makeScratch } from '../../unit/config/scratch.js';

describe('GT-2: trust per folder', () => {
  it('GT-2: processes that trust folders at the same time lose nothing', async () => {
    const { folder, home } = makeScratch();
    const script = join(folder, 'trust-many.mjs');
    await build({
      stdin: {
        contents: `import { openTrust } from './src/config/trust.js';
          import { nodeHost } from './src/host/node-host.js';
          const [base, from, count] = process.argv.slice(2);
          const trust = openTrust(nodeHost(base));
          for (let i = 0; i < Number(count); i++) {
            const done = await trust.trust(base + '/project-' + (Number(from) + i));
            if (!done.ok) { console.error(done.reason); process.exitCode = 1; }
          }`,
        resolveDir: resolve('.'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const runs = Array.from({ length: 8 }, (_, index) => run(script, [folder, String(index * 25), '25'], home));
    expect(await Promise.all(runs)).toEqual(Array(8).fill(0));
    const stored = JSON.parse(readFileSync(join(home, '.coppice', 'trust.json'), 'utf8'));
    expect(Object.keys(stored.folders)).toHaveLength(200);
    expect(readdirSync(join(home, '.coppice'))).toEqual(['trust.json']);
  });
});

function run(script: string, args: readonly string[], home: string): Promise<number | null> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { HOME: home },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((done) => child.on('close', done));
}
