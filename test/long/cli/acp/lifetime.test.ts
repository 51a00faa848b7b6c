/** CL-7, CL-8: cancelling, and editors that go away, are slow, or send nonsense. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectEditor, setAcpStage } from '../../../program/cli/acp/acp-stage.js';
import { runningWith } from '../../../support/processes.js';
import { until } from '../../../support/until.js';

/** How often an editor is killed; the long run has 50. */
const KILLS = Number(process.env.KILLS ?? 3);

const never = () => new Promise<never>(() => {});

describe('an editor that goes away', () => {
  it(`CL-8: killed ${KILLS} times at any moment: no process is left, and the session continues each time`, async () => {
    const mark = `8${process.pid}${Date.now() % 100_000}`;
    const stage = await setAcpStage([
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: `sleep ${mark}` } }] },
      { reply: 'Here.' },
    ]);
    let sessionId: string | undefined;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash(sleep:*)'], answer: never });
      if (sessionId === undefined) {
        sessionId = (await editor.open()).sessionId;
        await editor.prompt(sessionId, 'hello');
      } else {
        const loaded = { sessionId, cwd: stage.folder, mcpServers: [] };
        await editor.agent.request('session/load', loaded);
      }
      editor.prompt(sessionId, 'wait').catch(() => {});
      // Each time a little later: before the request, in it, in the call.
      await sleep((kill * 37) % 700);
      // As a killed process leaves it: both ends of its pipes are closed at once.
      editor.child.stdout.destroy();
      editor.child.stdin.destroy();
      expect(await editor.ended).toBe(0);
      expect(runningWith(`sleep ${mark}`)).toEqual([]);
    }
  }, 600_000);

  it('CL-8: SIGTERM and SIGINT end it the same way', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const mark = `9${process.pid}${Date.now() % 100_000}`;
      const stage = await setAcpStage([
        { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: `sleep ${mark}` } }] },
      ]);
      const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash(sleep:*)'] });
      const { sessionId } = await editor.open();
      editor.prompt(sessionId, 'wait').catch(() => {});
      await until(() => runningWith(`sleep ${mark}`).length > 0, 'the command');
      editor.child.kill(signal);
      expect(await editor.ended).toBe(code);
      expect(runningWith(`sleep ${mark}`)).toEqual([]);
    }
  });
});

describe('an editor that does not read', () => {
  it('CL-8: agents wait for it: what is queued for it stays bounded, and nothing is lost', async () => {
    const rounds = 40;
    const stage = await setAcpStage([
      ...Array.from({ length: rounds }, (_, index) => ({
        when: { nth: index + 1 },
        reply: [{ tool: 'Read', input: { file_path: 'big.txt', offset: index + 1, limit: 300 } }],
      })),
      { reply: 'Done.' },
    ]);
    await stage.write('big.txt', `${'x'.repeat(100)}\n`.repeat(2_000));
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    const readOn = editor.hold();
    const prompt = editor.prompt(sessionId, 'read it all');
    let seen = 0;
    await until(
      async () => {
        const before = stage.sim.requests.length;
        await sleep(1_500);
        seen = stage.sim.requests.length;
        return before > 1 && before === seen;
      },
      'a halt',
      60_000,
    );
    expect(seen).toBeLessThan(rounds);
    readOn();
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(editor.updates(sessionId, 'tool_call')).toHaveLength(rounds);
    expect(editor.said(sessionId)).toBe('Done.');

    // One that leaves without ever reading holds nothing up.
    const deaf = await connectEditor(stage);
    const other = await deaf.open();
    deaf.hold();
    deaf.prompt(other.sessionId, 'read it all').catch(() => {});
    const before = stage.sim.requests.length;
    await until(() => stage.sim.requests.length > before + 10, 'some requests');
    const exited = new Promise((resolve) => deaf.child.once('exit', resolve));
    deaf.child.stdin.end();
    expect(await exited).toBe(0);
  });
});
