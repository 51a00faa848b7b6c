/** Hooks of a skill hold until the session ends, also when it is resumed. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../src/protocol/permission.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);
const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

describe('EX-14: hooks of a skill', () => {
  const hooks =
    'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: "echo not now >&2; exit 2"\n';

  it.each(['typed', 'by the model', 'in a child'])(
    'EX-14 DU-14: they hold until the session ends, also when it is resumed (%s)',
    async (how) => {
      const stage = await setStage([
        { when: { user: 'after' }, reply: [bash('touch after')] },
        { when: { user: 'use it' }, reply: [{ tool: 'Skill', input: { skill: 'guard' } }] },
        { reply: 'done' },
      ]);
      await write(stage, 'guard', `${hooks}${how === 'in a child' ? 'context: fork\n' : ''}`, 'Take care.');
      const asked: PermissionQuestion[] = [];
      const onPermission = async (question: PermissionQuestion) => {
        asked.push(question);
        return { behavior: 'allow' } as const;
      };
      await trust(stage);
      const session = await stage.open({ onPermission });
      await session.send(how === 'typed' ? '/guard' : 'use it');
      const { id } = session;
      await session.close();
      const again = await stage.open({ onPermission, resume: id });
      await again.send('after');
      expectAllAccepted(stage.sim);
      expect(await isThere(stage, 'after')).toBe(false);
      expect(asked.map(({ about }) => about)).toEqual(['skill-grants']);
    },
  );

  it.each(['changed', 'gone'])(
    'EX-14 GT-3: of a skill that is %s meanwhile they don’t run, and that is reported',
    async (what) => {
      const stage = await setStage([{ when: { user: 'after' }, reply: [bash('touch after')] }, { reply: 'done' }]);
      await write(stage, 'guard', hooks, 'Take care.');
      await trust(stage);
      const onPermission = async () => ({ behavior: 'allow' }) as const;
      const session = await stage.open({ onPermission });
      await session.send('/guard');
      const { id } = session;
      await session.close();
      if (what === 'gone') await rm(join(stage.folder, '.claude/skills/guard'), { recursive: true });
      else await write(stage, 'guard', hooks.replace('not now', 'never'), 'Take care.');
      const again = await stage.open({ onPermission, resume: id });
      await again.send('after');
      expect(await isThere(stage, 'after')).toBe(true);
      const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
      expect(lines).toContainEqual(expect.stringContaining('The hooks of skill guard are off'));
    },
  );

  it('EX-14: what was to run once does not run again', async () => {
    const stage = await setStage([{ when: { user: 'look' }, reply: [bash('ls')] }, { reply: 'done' }]);
    const fields = hooks
      .replace('echo not now >&2; exit 2', 'echo x >> ran')
      .replace(/\n$/, '\n          once: true\n');
    await write(stage, 'note', fields, 'Note it.');
    await trust(stage);
    const onPermission = async () => ({ behavior: 'allow' }) as const;
    const session = await stage.open({ onPermission });
    await session.send('/note');
    await session.send('look');
    const { id } = session;
    await session.close();
    const again = await stage.open({ onPermission, resume: id });
    await again.send('look');
    expect(await stage.read('ran')).toBe('x\n');
  });
});

async function trust(stage: Stage): Promise<void> {
  const { openTrust } = await import('../../../src/config/trust.js');
  const { nodeHost } = await import('../../../src/host/node-host.js');
  await openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);
}
