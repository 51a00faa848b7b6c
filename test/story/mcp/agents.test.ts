/** Servers and children: what they share, what they bring along, what they need. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { groupRuns } from '../../support/processes.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

function toolNames(request: SimRequest | undefined): string[] {
  const body = JSON.parse(request?.raw.toString('utf8') ?? '{}') as { tools?: { name: string }[] };
  return (body.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
}

/** The main agent starts one child of the type `worker` with the task `work`; the child's first reply is `child`. */
async function stageWithChild(child: readonly object[], more: object = {}): Promise<Stage> {
  return setStage([
    { when: { user: 'work', nth: 1 }, reply: child as never },
    { when: { said: 'CHILD' }, reply: 'child done' },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { subagent_type: 'worker', prompt: 'CHILD work', ...more } }] },
    { reply: 'main done' },
  ]);
}

const childRequests = ({ sim }: Stage) =>
  sim.requests.filter(({ raw }) => raw.includes('CHILD work') && raw.includes('You are a worker'));

describe('MC-4: servers of agents', () => {
  it('MC-4 all connected servers’ tools are a child’s too, over the session’s connection', async () => {
    const stage = await setStage([
      { when: { user: 'CHILD work' }, reply: [{ tool: 'mcp__db__echo', input: { words: 'child' } }] },
      { when: { said: 'You are' }, reply: 'done' },
      { reply: 'done' },
    ]);
    const log = join(stage.folder, 'log');
    await stage.settings({ mcpServers: { db: smallServer({ log }) }, permissions: { allow: ['mcp__db'] } });
    await stage.write('.claude/agents/worker.md', '---\nname: worker\ndescription: d\n---\nYou are a worker\n');
    const session = await stage.open({ trust: true });
    await session.send('hello');
    const result = await session.execute({ type: 'message', agent: 'x', text: 'y' });
    expect(result.ok).toBe(false);
    const started = (await readFile(log, 'utf8')).split('\n').filter((line) => line.startsWith('started'));
    expect(started).toHaveLength(1);
  });

  it('MC-4 an inline server is the run’s own: started for it, closed with it, its tools only there', async () => {
    const stage = await stageWithChild([{ tool: 'mcp__own__echo', input: { words: 'mine' } }]);
    const log = join(stage.folder, 'log');
    const entry = JSON.stringify({ own: smallServer({ name: 'own', log }) });
    await stage.settings({ permissions: { allow: ['mcp__own'] } });
    await stage.write(
      '.claude/agents/worker.md',
      `---\nname: worker\ndescription: d\nmcpServers:\n  - ${entry}\n---\nYou are a worker\n`,
    );
    const session = await stage.open({ trust: true });
    const end = await session.send('go');
    expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'main done' });
    expectAllAccepted(stage.sim);
    const [first] = childRequests(stage);
    expect(toolNames(first)).toEqual(['mcp__own__echo']);
    expect(toolNames(stage.sim.requests[0])).toEqual([]);
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    expect(lines).toContain('tools/call echo');
    const pid = Number(/^started (\d+)/.exec(lines[0] ?? '')?.[1]);
    await until(() => !groupRuns(pid), 'its server to end');
  });

  it('MC-4 a name that nobody configured: a line to the user and to the child', async () => {
    const stage = await stageWithChild([{ text: 'child says' }]);
    await stage.write(
      '.claude/agents/worker.md',
      '---\nname: worker\ndescription: d\nmcpServers: [nowhere]\n---\nYou are a worker\n',
    );
    const session = await stage.open({ trust: true });
    await session.send('go');
    const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(lines.some((line) => line.includes('nowhere'))).toBe(true);
    expect(childRequests(stage)[0]?.raw.toString('utf8')).toContain('there is no MCP server nowhere');
  });

  it('MC-5 a required server that failed: the child is not started, and no worktree is made', async () => {
    const stage = await stageWithChild([{ text: 'never' }]);
    await stage.settings({ mcpServers: { db: { command: '/no/such/program' } } });
    await stage.write(
      '.claude/agents/worker.md',
      '---\nname: worker\ndescription: d\nrequiredMcpServers: [DB]\nisolation: worktree\n---\nYou are a worker\n',
    );
    const session = await stage.open({ trust: true });
    const end = await session.send('go');
    expect(end.reason, stage.sim.report()).toBe('completed');
    expect(childRequests(stage)).toEqual([]);
    const last = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
    expect(last).toContain('it needs MCP servers that are not there: DB (db:');
    expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
  });

  it('MC-5 one that connects late: the child waits and then has its tools, though its parent has not', async () => {
    const stage = await stageWithChild([{ tool: 'mcp__db__echo', input: { words: 'late' } }]);
    const opens = join(stage.folder, 'open');
    await stage.settings({
      mcpServers: { db: smallServer({ waitFor: opens }) },
      mcp: { waitMs: 1 },
      permissions: { allow: ['mcp__db'] },
    });
    await stage.write(
      '.claude/agents/worker.md',
      '---\nname: worker\ndescription: d\nrequiredMcpServers: [db]\n---\nYou are a worker\n',
    );
    const session = await stage.open({ trust: true });
    const sent = session.send('go');
    await until(() => stage.sim.requests.length > 0);
    await stage.write('open', '');
    expect((await sent).reason, stage.sim.report()).toBe('completed');
    expect(toolNames(childRequests(stage)[0])).toEqual(['mcp__db__echo']);
    expect(toolNames(stage.sim.requests[0])).toEqual([]);
    expectAllAccepted(stage.sim);
  });
});
