/** A skill's turn that goes wrong: a disk that is full, a budget that is used up, a hook that stops it. */

import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { failingHost } from '../holes/failing-host.js';

const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);
const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

it.each([
  '"input-admitted","origin":"person"',
  '"turn-started"',
  '"assistant-replied"',
  '"call-finished"',
  '"run-ended"',
])('EX-14 EX-8 DU-2: a disk that is full at %s: its rules and model don’t reach the next prompt', async (record) => {
  let isFull = false;
  const stage = await setStage([
    { when: { user: 'next' }, reply: [bash('touch later')] },
    { when: { user: '/make', nth: 2 }, reply: [bash('ls')] },
    { reply: 'done' },
  ]);
  await write(stage, 'make', 'allowed-tools: Bash\nmodel: haiku\n', 'Make it.');
  const kind = record.split(',')[0] ?? '';
  const host = failingHost(nodeHost(stage.folder, stage.env), {
    write: (_, line) => isFull && line.includes(kind) && (kind === record || line.includes('/make')),
  });
  const session = await stage.open({ trust: true, model: 'sonnet', host });
  await session.send('hello');
  isFull = true;
  expect(await session.send('/make')).toMatchObject({ reason: 'not_saved' });
  isFull = false;
  await session.send('next');
  expect(stage.sim.unmatched).toEqual([]);
  expect(await isThere(stage, 'later')).toBe(false);
  expect(rawOf(stage.sim.requests.at(-1)).slice(0, 60)).toContain('sonnet');
});

it('EX-14: a hook after the typed skill that stops refuses the prompt', async () => {
  const stage = await setStage([{ when: { user: 'next', nth: 1 }, reply: [bash('touch later')] }, { reply: 'done' }]);
  await write(stage, 'make', 'allowed-tools: Bash\n', 'Make it.');
  const session = await stage.open({
    trust: true,
    hooks: { PostToolUse: [{ matcher: 'Skill', hooks: [() => ({ continue: false, stopReason: 'enough' })] }] },
  });
  expect(await session.send('/make')).toMatchObject({
    reason: 'prompt_refused',
    line: expect.stringContaining('enough'),
  });
  expect(stage.sim.requests).toHaveLength(0);
  await session.send('next');
  expectAllAccepted(stage.sim);
  expect(await isThere(stage, 'later')).toBe(false);
});

it.each(['overloaded', 'refusal'] as const)('EX-14: %s ends the turn, with its rules and model', async (fault) => {
  const stage = await setStage([
    { when: { user: 'next' }, reply: [bash('touch later')] },
    { when: { model: 'haiku' }, reply: 'x', fault: fault === 'overloaded' ? 'no_model' : fault },
    { reply: 'done' },
  ]);
  await write(stage, 'make', 'allowed-tools: Bash\nmodel: haiku\n', 'Make it.');
  const session = await stage.open({ trust: true, model: 'sonnet' });
  expect((await session.send('/make')).reason).not.toBe('completed');
  await session.send('next');
  expect(await isThere(stage, 'later')).toBe(false);
  expect(rawOf(stage.sim.requests.at(-1)).slice(0, 60)).toContain('sonnet');
});

it('EX-14 LC-17: max turns ends it, too', async () => {
  const stage = await setStage([
    { when: { user: 'next' }, reply: [bash('touch later')] },
    { when: { model: 'haiku' }, reply: [bash('ls')] },
    { reply: 'done' },
  ]);
  await write(stage, 'make', 'allowed-tools: Bash\nmodel: haiku\n', 'Make it.');
  const session = await stage.open({ trust: true, model: 'sonnet', maxTurns: 2 });
  expect(await session.send('/make')).toMatchObject({ reason: 'max_turns' });
  await session.send('next');
  expectAllAccepted(stage.sim);
  expect(await isThere(stage, 'later')).toBe(false);
  expect(rawOf(stage.sim.requests.at(-1)).slice(0, 60)).toContain('sonnet');
});
