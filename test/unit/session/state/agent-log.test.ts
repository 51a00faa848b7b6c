import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../../src/config/paths.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { AgentStatus, DurableEvent } from '../../../../src/protocol/events.js';
import { type AgentLog, agentLog, owedNotices, readAgentLogs } from '../../../../src/session/state/agent-log.js';
import { noticeKey } from '../../../../src/session/state/agent-state.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, call, linesOf, replied, restore } from '../sample-events.js';
import { spawned } from '../spawned.js';

const host = nodeHost('/');

const state = (run: number, to: AgentStatus, by?: 'person'): DurableEvent => ({
  kind: 'agent-state-changed',
  run,
  state: to,
  ...(by ? { by } : {}),
});
const made = (run: number, text = `result ${run}`): DurableEvent => ({
  kind: 'result-made',
  run,
  status: 'completed',
  text,
});
const queued = (run: number): DurableEvent => ({ kind: 'notice-queued', run, to: 'main', text: `notice ${run}` });

function logOf(agent: string, events: readonly DurableEvent[]): AgentLog {
  const log = agentLog(restore(events), agent, `/${agent}`);
  if (typeof log === 'string') throw new Error(log);
  return log;
}

const log = (...events: DurableEvent[]) => logOf('a', events);

describe('the log of an agent', () => {
  it('DU-8: several runs, each with its state, result and notice', () => {
    const {
      runs,
      status: now,
      unfinished,
      result,
    } = log(spawned('a'), state(1, 'running'), made(1), state(1, 'completed'), queued(1), state(2, 'running'));
    expect(runs).toEqual([
      {
        run: 1,
        status: 'completed',
        result: { status: 'completed', text: 'result 1' },
        notice: { to: 'main', text: 'notice 1' },
      },
      { run: 2, status: 'running' },
    ]);
    expect([now, unfinished]).toEqual(['interrupted', true]);
    expect(result).toEqual({ run: 1, status: 'completed', text: 'result 1' });
  });

  it('DU-8, failures 42, 44: the end of a run is final, and a stop by the user is permanent', () => {
    const done = log(
      spawned('a'),
      state(1, 'running'),
      state(1, 'completed'),
      state(1, 'running'),
      state(1, 'failed'),
      made(1, 'x'),
      made(1, 'y'),
      queued(1),
      queued(1),
    );
    expect(done.runs).toMatchObject([{ run: 1, status: 'completed', result: { text: 'x' } }]);
    const stopped = log(spawned('a'), state(1, 'running'), state(1, 'stopped', 'person'), state(1, 'running'));
    expect(stopped).toMatchObject({ status: 'stopped', unfinished: false, runs: [{ by: 'person' }] });
  });

  it('DU-8: a run that was interrupted and resumed has its final result, not the one it was interrupted with', () => {
    const { runs } = log(
      spawned('a'),
      state(1, 'running'),
      { kind: 'result-made', run: 1, status: 'failed', text: 'half' },
      state(1, 'interrupted'),
      state(1, 'running'),
      made(1, 'whole'),
      state(1, 'completed'),
      made(1, 'too late'),
    );
    expect(runs).toMatchObject([{ status: 'completed', result: { text: 'whole' } }]);
  });

  it('DU-8, failures 47: a corrupt file is reported and hides no other; nothing is changed', async () => {
    const layout = sessionLayout(await scratchFolder(), 'p', 's');
    await mkdir(layout.subagents, { recursive: true });
    const good = linesOf([
      spawned('good'),
      state(1, 'running'),
      replied([call('x')]),
      made(1),
      state(1, 'completed'),
      queued(1),
    ]);
    await writeFile(layout.agentFile('good'), Buffer.concat(good));
    await writeFile(layout.agentFile('headless'), Buffer.concat(good.slice(1)));
    await writeFile(layout.agentFile('zeros'), Buffer.alloc(5000));
    await writeFile(layout.agentFile('copy'), Buffer.concat(good));
    const scratched = linesOf([spawned('scratched'), state(1, 'running'), made(1), state(1, 'completed')]);
    await writeFile(
      layout.agentFile('scratched'),
      Buffer.concat([...scratched.slice(0, 2), Buffer.from('{"oops\n'), ...scratched.slice(2)]),
    );
    await mkdir(layout.agentFile('folder'));
    const { agents, setAside } = await readAgentLogs(host.files, layout);
    expect(agents.map((one) => [one.agent, one.status, one.damaged])).toEqual([
      ['good', 'completed', 0],
      ['scratched', 'completed', 1],
    ]);
    expect(setAside.map(({ path, reason }) => [path.split('agent-')[1], reason])).toEqual([
      ['copy.jsonl', 'it belongs to agent good'],
      ['folder.jsonl', expect.stringContaining('EISDIR')],
      ['headless.jsonl', 'its first record is missing or damaged'],
      ['zeros.jsonl', 'its first record is missing or damaged'],
    ]);
    expect(await readFile(layout.agentFile('zeros'))).toEqual(Buffer.alloc(5000));
    expect(await readAgentLogs(host.files, sessionLayout('/nowhere', 'p', 's'))).toEqual({ agents: [], setAside: [] });
  });

  it('DU-14, failures 40, 41: queued = delivered + owed, wherever the parent was cut off', () => {
    const agents = [1, 2, 3].map((n) =>
      logOf(`k${n}`, [spawned(`k${n}`), state(1, 'running'), made(1), state(1, 'completed'), queued(1)]),
    );
    const parent = [1, 2, 3].map((n) => admitted(`notice of k${n}`, 'notice', { agent: `k${n}`, run: 1 }));
    for (let cut = 0; cut <= parent.length; cut += 1) {
      const { delivered, pending } = restore(parent.slice(0, cut));
      const owed = owedNotices(agents, (key) => delivered.has(noticeKey(key)));
      expect(delivered.size).toBe(cut);
      expect(pending).toHaveLength(cut);
      expect(owed.map((one) => one.agent)).toEqual(['k1', 'k2', 'k3'].slice(cut));
    }
  });
});
