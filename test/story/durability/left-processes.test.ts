/** The mark of a process: where it is, and what a library that closes its session leaves. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { markedSession } from '../../../src/host/process-mark.js';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import { BOX_WORKS } from '../../program/gate/box/stage.js';
import { SANDBOX_WORKS } from '../../program/gate/sandbox/stage.js';
import { runningWith } from '../../support/processes.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const BYPASS = { permissionMode: 'bypassPermissions' } as const;
/** `env` itself asks: it would show another environment outside the box. */
const ENVIRONMENT = `awk 'BEGIN { for (name in ENVIRON) print name "=" ENVIRON[name] }'`;

function resultOf(stage: Stage): string {
  const blocks = eventsOf(stage, 'call-finished').flatMap((event) => event.blocks);
  return blocks.map((block) => JSON.stringify(parseBlock(block))).join('\n');
}

describe.each([
  { where: 'plain', command: 'touch x; env', shows: 'COPPICE=1' },
  ...(BOX_WORKS ? [{ where: 'in the reading box', command: ENVIRONMENT, shows: 'COPPICE_BOX=1' }] : []),
  ...(SANDBOX_WORKS
    ? [{ where: 'in the sandbox', sandbox: 'required', command: 'touch x; env', shows: 'COPPICE_SANDBOX=1' }]
    : []),
])('$where', ({ sandbox = 'off', command, shows }) => {
  it('DU-12: a command carries the mark of its call', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'well' },
      { reply: [{ tool: 'Bash', id: 'toolu_marked', input: { command } }] },
    ]);
    await stage.settings({ sandbox });
    const session = await stage.open(sandbox === 'off' && shows === 'COPPICE_BOX=1' ? {} : BYPASS);
    await session.send('go');
    expectAllAccepted(stage.sim);
    const call = eventsOf(stage, 'call-finished')[0]?.call;
    expect(resultOf(stage)).toContain(shows);
    expect(resultOf(stage)).toContain(`COPPICE_CALL=${markedSession(session.transcript)}:main:${call}`);
  });
});

it('DU-12: a program of a hook carries its own mark', async () => {
  const stage = await setStage([
    { when: { result: { tool: 'Glob' } }, reply: 'well' },
    { reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
  ]);
  const hooks = [{ hooks: [{ type: 'command', command: 'echo "$COPPICE_CALL" >> marks' }] }];
  await stage.settings({ hooks: { SessionStart: hooks, PreToolUse: hooks } });
  const session = await stage.open(BYPASS);
  await session.send('go');
  const call = eventsOf(stage, 'call-finished')[0]?.call;
  const mark = `${markedSession(session.transcript)}:main:hook%20`;
  expect(mark).toMatch(new RegExp(`^${session.id}-[0-9a-f]{12}:`));
  expect(await stage.read('marks')).toBe(`${mark}SessionStart\n${mark}${call}\n`);
});

it('DU-12: closing a session of the library ends what its commands hid, and nothing of another session', async () => {
  const seconds = 770_000 + (process.pid % 10_000);
  const sleeps = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  onTestFinished(() => {
    for (const line of sleeps()) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  const hide = `rm -f up; setsid bash -c 'touch up; exec sleep ${seconds}' >/dev/null 2>&1 & until [ -e up ]; do sleep 0.01; done`;
  const stage = await setStage([
    { when: { result: { tool: 'Bash' } }, reply: 'well' },
    { reply: [{ tool: 'Bash', input: { command: hide } }] },
  ]);
  const [one, other] = [await stage.open(BYPASS), await stage.open(BYPASS)];
  await one.send('go');
  await other.send('go');
  expect(sleeps()).toHaveLength(2);
  await one.close();
  expect(sleeps()).toHaveLength(1);
  await other.close();
  expect(sleeps()).toEqual([]);
});

it('DU-12: leaving a session ends nothing of one with the same id that is kept elsewhere', async () => {
  const seconds = 780_000 + (process.pid % 10_000);
  const sleeps = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  const open = async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'well' },
      { reply: [{ tool: 'Bash', input: { command: `sleep ${seconds}`, run_in_background: true } }] },
    ]);
    return stage.open({ ...BYPASS, sessionId: 'same' });
  };
  const [one, other] = [await open(), await open()];
  await one.send('go');
  await other.send('go');
  await until(() => sleeps().length === 2, 'both run');
  await one.close();
  expect(sleeps()).toHaveLength(1);
  await other.close();
  expect(sleeps()).toHaveLength(0);
});
