/** CL-8: editors that are killed or stopped, and the agent itself killed, as real processes. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectEditor, setAcpStage, textOf } from '../../../program/cli/acp/acp-stage.js';
import { runningWith } from '../../../support/processes.js';
import { ROOT } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { until, untilFound } from '../../../support/until.js';

/** How often an editor is killed; the long run has 50. */
const KILLS = Number(process.env.KILLS ?? 3);

type Fact = {
  readonly pid?: number;
  readonly sessionId?: string;
  readonly loaded?: readonly string[];
  readonly seen?: string;
};

function startEditor({ folder, env }: Stage, asked: { readonly session?: string; readonly prompt: string }) {
  const given = { program: join(ROOT, 'dist', 'cli.js'), args: ['--allowedTools', 'Bash'], cwd: folder, ...asked };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'editor-process.mjs'), JSON.stringify(given)], {
    cwd: folder,
    env: env as NodeJS.ProcessEnv,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    out += piece;
  });
  const facts = () =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Fact);
  const ended = new Promise((resolve) => child.once('close', resolve));
  return { child, facts, ended };
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** In MB. */
function memoryOf(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const WAIT = (mark: string) => [
  { when: { user: 'wait' }, reply: ['I wait.', { tool: 'Bash', input: { command: `sleep ${mark}` } }] },
  { reply: 'Here.' },
];

describe('an editor that is killed', () => {
  it(`CL-8: ${KILLS} times by SIGKILL, at any moment: no process is left, and the session loads again with everything`, async () => {
    const mark = `6${process.pid}${Date.now() % 100_000}`;
    const stage = await setAcpStage(WAIT(mark));
    let session: string | undefined;
    const heard: string[] = [];
    const ends: number[] = [];
    const moments: Record<string, number> = {};
    for (let kill = 0; kill < KILLS; kill += 1) {
      const prompt = `wait ${kill}.`;
      const editor = startEditor(stage, { ...(session === undefined ? {} : { session }), prompt });
      // By turns: at any moment from the start of the process, and from the moment the session is there.
      if (kill % 2 === 0 || session === undefined)
        await untilFound(() => editor.facts().find(({ sessionId }) => sessionId), 'the session', 60_000);
      await sleep(Math.random() * 1_200);
      editor.child.kill('SIGKILL');
      await editor.ended;
      const begun = Date.now();
      const facts = editor.facts();
      const pid = facts[0]?.pid;
      if (pid !== undefined) await until(() => !isRunning(pid), `the end of the agent after kill ${kill}`, 30_000);
      ends.push(Date.now() - begun);
      await until(() => runningWith(`sleep ${mark}`).length === 0, 'the end of its command', 1_000);
      const known = facts.find(({ sessionId }) => sessionId);
      session ??= known?.sessionId;
      if (known !== undefined) for (const words of heard) expect(known.loaded?.join('\n')).toContain(words);
      // An update of the turn: the prompt was taken, so it has to be there from then on.
      const after = known === undefined ? [] : facts.slice(facts.indexOf(known) + 1).map(({ seen }) => seen);
      if (after.includes('agent_message_chunk') || after.includes('tool_call')) heard.push(prompt);
      const moment = known === undefined ? 'before the session' : (after.at(-1) ?? 'before the first update');
      moments[moment] = (moments[moment] ?? 0) + 1;
    }
    const last = await connectEditor(stage);
    await last.agent.request('session/load', { sessionId: session ?? '', cwd: stage.folder, mcpServers: [] });
    const said = textOf(last.updates(session ?? '', 'user_message_chunk'));
    for (const words of heard) expect(said).toContain(words);
    expect(heard.length).toBeGreaterThan(0);
    if (KILLS > 3) console.info('last seen:', moments, 'ends after ms:', Math.max(...ends), 'prompts:', heard.length);
  }, 900_000);
});

describe('an editor that is stopped', () => {
  it('CL-8: memory stays bounded while it does not read, it continues when it does, and SIGTERM ends it all the same', async () => {
    const rounds = 60;
    const stage = await setAcpStage([
      ...Array.from({ length: rounds }, (_, index) => ({
        when: { nth: index + 1 },
        reply: [
          'word '.repeat(20_000),
          { tool: 'Bash', input: { command: `yes ${'line'.repeat(20)} | head -20000 # ${index}` } },
        ],
      })),
      { reply: 'Done.' },
    ]);
    const editor = startEditor(stage, { prompt: 'talk' });
    await untilFound(() => editor.facts().find(({ sessionId }) => sessionId), 'the session');
    const pid = editor.facts()[0]?.pid as number;
    const before = memoryOf(pid);
    // Stopped earlier, it would not have sent its prompt.
    await until(() => stage.sim.requests.length > 0, 'the first request');
    editor.child.kill('SIGSTOP');
    onTestFinished(() => void editor.child.kill('SIGCONT'));
    let most = 0;
    await until(
      async () => {
        const requests = stage.sim.requests.length;
        for (let look = 0; look < 15; look += 1) {
          most = Math.max(most, memoryOf(pid));
          await sleep(100);
        }
        return requests === stage.sim.requests.length;
      },
      'a halt',
      120_000,
    );
    const halted = stage.sim.requests.length;
    expect(halted).toBeLessThan(rounds);
    if (process.env.KILLS) console.info(`MB before ${before | 0}, most ${most | 0}, halted after ${halted} requests`);
    expect(most - before).toBeLessThan(150);
    editor.child.kill('SIGCONT');
    await until(() => stage.sim.requests.length > halted, 'the next request');
    editor.child.kill('SIGSTOP');
    process.kill(pid, 'SIGTERM');
    await until(() => !isRunning(pid), 'the end');
  });
});

describe('an agent that is killed', () => {
  it('CL-8: by SIGKILL in the middle of a turn: what was is shown again, and its command does not outlive the next start', async () => {
    const mark = `5${process.pid}${Date.now() % 100_000}`;
    const stage = await setAcpStage([{ when: { user: 'go on' }, reply: 'I go on.' }, ...WAIT(mark)]);
    const first = await connectEditor(stage, { args: ['--allowedTools', 'Bash'] });
    const { sessionId } = await first.open();
    first.prompt(sessionId, 'wait for it').catch(() => {});
    await until(() => runningWith(`sleep ${mark}`).length > 0, 'the command');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await connectEditor(stage);
    await second.agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
    expect(textOf(second.updates(sessionId, 'user_message_chunk'))).toBe('wait for it');
    expect(second.said(sessionId)).toBe('I wait.');
    const [call] = second.updates(sessionId, 'tool_call');
    expect(call?.title).toBe(`Bash: sleep ${mark}`);
    expect(second.updates(sessionId, 'tool_call_update').at(-1)).toMatchObject({
      toolCallId: call?.toolCallId,
      status: 'failed',
    });
    expect(await second.prompt(sessionId, 'go on')).toEqual({ stopReason: 'end_turn' });
    await until(() => runningWith(`sleep ${mark}`).length === 0, 'the end of the command');
  });
});
