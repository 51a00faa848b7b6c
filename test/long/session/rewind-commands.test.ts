/** GT-36 DU-23, many times: random file commands, then rewinds to random prompts and forward again. */

import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openChanging, setCommandStage, snapshot } from '../../story/durability/rewind/command-stage.js';
import fc from '../../support/fast-check.js';

const NAMES = ['a', 'b', 'd', 'd/x', 'd/y', 'e', 'e/deep/f', 'l'];
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  fc.tuple(fc.constantFrom('rm -rf', 'mkdir -p', 'touch', 'chmod 640', 'chmod -R u=rwx,go=', 'echo x >>'), name),
  fc.tuple(fc.constantFrom('mv -f', 'cp -r', 'ln -sfn', 'cp'), name, name),
);

it('GT-36 DU-23: whatever file commands did, each prompt’s files come back exactly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
      async (steps, goals) => {
        const stage = await setCommandStage();
        await stage.write('a', 'one\n');
        await stage.write('d/x', 'two\n');
        await mkdir(join(stage.folder, 'e'));
        await symlink('d/x', join(stage.folder, 'l'));
        await chmod(join(stage.folder, 'd'), 0o750);
        const lines = steps.map((words, index) => `${words.join(' ')} # ${index}`);
        const changes = ['a', 'b', 'd', 'e', 'l'];
        const session = await openChanging(stage, Object.fromEntries(lines.map((line) => [line, { changes }])));
        const states: object[] = [];
        for (const line of lines) {
          states.push(snapshot(stage.folder));
          await session.send(`run ${line}`);
        }
        for (const goal of goals) {
          const to = (goal % lines.length) + 1;
          expect(await session.rewind({ to, part: 'files' })).toMatchObject({ ok: true, left: [] });
          expect(snapshot(stage.folder)).toEqual(states[to - 1]);
        }
        await session.close();
      },
    ),
    { numRuns: 60 },
  );
}, 300_000);
