/** Rules that mean more than their words are marked where rules are listed, and named once after an upgrade (GT-35). */

import { expect, it } from 'vitest';
import { checkMachine } from '../../../src/front/commands/doctor/check-machine.js';
import { runPermissions } from '../../../src/front/commands/session/permissions-command.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { setStage } from '../../support/story.js';

const allow = ['Bash(npx:*)', 'Bash(git:*)', 'Bash(curl:*)', 'Bash(ls:*)'];
const notice = (warnings: readonly string[] = []) => warnings.filter((line) => line.includes('now cover everything'));

it('GT-35: rules that mean more since an upgrade are named once, at the first start', async () => {
  const stage = await setStage();
  const first = await stage.open({ allowedTools: ['Bash(node:*)'] });
  expect(notice(first.warnings)).toEqual([]);
  await first.close();
  await stage.settings({ permissions: { allow, deny: ['Bash(bash:*)'] } });
  const second = await stage.open();
  expect(notice(second.warnings)).toHaveLength(1);
  expect(notice(second.warnings)[0]).toContain('with any options: Bash(npx:*), Bash(git:*).');
  await second.close();
  const third = await stage.open();
  expect(notice(third.warnings)).toEqual([]);
});

it('GT-35: /permissions and doctor mark rules that let any program run, or send any file', async () => {
  const stage = await setStage();
  await stage.settings({ permissions: { allow, deny: ['Bash(bash:*)'] } });
  const session = await stage.open({ allowedTools: ['Bash'] });
  const said: string[] = [];
  await runPermissions({ session, say: (line) => said.push(line) }, '');
  const marked = said.filter((line) => line.includes(' · ')).map((line) => line.trim().split(/ {2,}|\) · /));
  expect(marked.map(([, rule, , effect]) => [rule, effect])).toEqual(
    expect.arrayContaining([
      ['Bash(npx:*)', 'lets any program run'],
      ['Bash(curl:*)', 'can send any file'],
      ['Bash', 'lets any program run'],
    ]),
  );
  expect(marked).toHaveLength(3);
  const findings = await checkMachine(nodeHost(stage.folder, stage.env), process.stdout);
  const found = findings.find(({ check }) => check === 'rules');
  expect(found).toMatchObject({ state: 'note' });
  expect(found?.found).toBe('Bash(npx:*) lets any program run, Bash(curl:*) can send any file');
});
