/** How often and how lately skills were used, in a real file. */

import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { readSkillUsage } from '../../../src/config/skills/skill-usage.js';
import { makeScratch } from '../../unit/config/scratch.js';

describe('EX-10: how much a skill is used', () => {
  it('processes at once lose no use', async () => {
    const { folder, home, host } = makeScratch();
    const script = join(folder, 'use.mjs');
    await build({
      stdin: {
        contents: `import { noteSkillUse } from './src/config/skills/skill-usage.js';
          import { nodeHost } from './src/host/node-host.js';
          const [base, own] = process.argv.slice(2);
          for (let i = 0; i < 15; i++) await noteSkillUse(nodeHost(base), own + i);`,
        resolveDir: resolve('.'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const run = (own: string) =>
      new Promise((done) => {
        const child = spawn(process.execPath, [script, folder, own], {
          env: { HOME: home },
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        child.on('close', done);
      });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(run))).toEqual([0, 0, 0, 0]);
    expect((await readSkillUsage(host)).size).toBe(60);
  });
});
