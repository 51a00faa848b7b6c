/** Skills of a plugin in a session: its words in their text, and what they grant before and after the user's yes (EX-14, EX-19, EX-20). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of plugins are written so.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const use = { tool: 'Skill', input: { skill: 'kit:make', args: 'it' } };
const bash = (command: string) => ({ tool: 'Bash', input: { command } });

const HOOKS =
  'hooks:\n  PostToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: "${CLAUDE_PLUGIN_ROOT}/note.sh"\n';
const skill = (body: string) =>
  `---\nname: make\ndescription: makes\nallowed-tools: Bash(touch:*)\n${HOOKS}---\n${body}\n`;

async function writeKit(stage: Stage, body: string): Promise<string> {
  await stage.write('../kit/.claude-plugin/plugin.json', JSON.stringify({ name: 'kit' }));
  await stage.write('../kit/skills/some-folder/SKILL.md', skill(body));
  const script = await stage.write(
    '../kit/note.sh',
    '#!/bin/sh\necho "$CLAUDE_PLUGIN_ROOT" > "$CLAUDE_PROJECT_DIR/noted"\n',
  );
  const { chmod } = await import('node:fs/promises');
  await chmod(script, 0o755);
  return join(stage.folder, '..', 'kit');
}

const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

it('EX-14 EX-19 EX-20: unapproved, a skill of a plugin is only text; approved, it grants and hooks as it was', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [use] },
    { when: { nth: 2 }, reply: [bash('touch made')] },
    { reply: 'done' },
  ]);
  const kit = await writeKit(stage, 'Make $1 in ${CLAUDE_PLUGIN_ROOT}.');
  const plain = await stage.open({ pluginDirs: [kit] });
  await plain.send('go');
  await plain.close();
  const { realpath } = await import('node:fs/promises');
  expect(stage.sim.requests[1]?.raw.toString('utf8')).toContain(`Make it in ${await realpath(kit)}.`);
  expect(await isThere(stage, 'made')).toBe(false);
  expect(await isThere(stage, 'noted')).toBe(false);
  expect(eventsOf(stage, 'line-shown').some(({ line }) => line.includes('coppice plugins approve kit'))).toBe(true);

  // With --trust, those of --plugin-dir count this time.
  const trusted = await stage.open({ pluginDirs: [kit], trust: true });
  await trusted.send('go');
  expect(await isThere(stage, 'made'), stage.sim.report()).toBe(true);
  expect((await stage.read('noted')).trim()).toBe(await realpath(kit));
  expectAllAccepted(stage.sim);
});

it('EX-19: what changes in the plugin after its approval takes its grants away', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: 'hello' },
    { when: { nth: 2 }, reply: [use] },
    { when: { nth: 3 }, reply: [bash('touch made')] },
    { reply: 'done' },
  ]);
  const kit = await writeKit(stage, 'Make $1.');
  const session = await stage.open({ pluginDirs: [kit], trust: true });
  await session.send('hi');
  await stage.write('../kit/skills/some-folder/SKILL.md', skill('Make $1 otherwise.'));
  await session.send('go');
  expect(stage.sim.requests[2]?.raw.toString('utf8')).toContain('Make it otherwise.');
  expect(await isThere(stage, 'made')).toBe(false);
  expect(eventsOf(stage, 'line-shown').some(({ line }) => line.includes('changed since it was approved'))).toBe(true);
});
