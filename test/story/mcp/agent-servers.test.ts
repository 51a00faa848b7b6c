/** Servers that agents bring along: over several runs, in the background, of projects nobody trusts, for many at once. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallServer } from '../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn } from '../../support/mcp/told.js';
import { groupRuns } from '../../support/processes.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

const PROGRAM = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));
const ECHO = { tool: 'mcp__own__echo', input: { words: 'mine' } };
const agent = (more: object = {}) => ({
  tool: 'Agent',
  input: { subagent_type: 'worker', prompt: 'CHILD work', ...more },
});

/** A definition with its own server, which writes to the log. */
function inline(stage: Stage, more = ''): string {
  const entry = JSON.stringify({ own: smallServer({ name: 'own', log: join(stage.folder, 'log') }) });
  return `---\nname: worker\ndescription: d\nmcpServers:\n  - ${entry}\n${more}---\nYou are a worker\n`;
}

const childRequests = ({ sim }: Stage) =>
  sim.requests.filter(({ raw }) => raw.includes('CHILD') && raw.includes('You are a worker'));
const pidsIn = async (stage: Stage) =>
  [...(await readFile(join(stage.folder, 'log'), 'utf8')).matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
const linesOf = (stage: Stage) => eventsOf(stage, 'line-shown').map(({ line }) => line);

describe('MC-4: an agent’s own server', () => {
  it('MC-4 ends with each run of the agent and is there again when a message lets it continue', async () => {
    const stage = await setStage([
      { when: { said: 'BEGIN', nth: 1 }, reply: [agent({ name: 'w', run_in_background: true })] },
      {
        when: { said: 'BEGIN', user: 'CHILD: done' },
        reply: [{ tool: 'SendMessage', input: { to: 'w', message: 'MORE' } }],
      },
      { when: { said: 'BEGIN' }, reply: 'ok' },
      ...callsFor('MORE', [ECHO]),
      ...callsFor('CHILD', [ECHO]),
    ]);
    await stage.settings({ permissions: { allow: ['mcp__own'] } });
    await stage.write('.claude/agents/worker.md', inline(stage));
    const session = await stage.open({ trust: true });
    await session.send('BEGIN');
    await session.settled();
    const requests = childRequests(stage);
    expect(
      resultsIn(requests.at(-1)).map(({ isError }) => isError),
      stage.sim.report(),
    ).toEqual([false, false]);
    for (const request of requests) expect(mcpNames(request)).toEqual(['mcp__own__echo']);
    const pids = await pidsIn(stage);
    expect(pids).toHaveLength(2);
    await until(() => pids.every((pid) => !groupRuns(pid)), 'its servers to end');
    expectAllAccepted(stage.sim);
  });

  it('MC-4 MC-2 a resumed session lets it continue with its server, but not with a script that changed meanwhile', async () => {
    const stage = await setStage([
      { when: { said: 'BEGIN', nth: 1 }, reply: [agent({ name: 'w' })] },
      {
        when: { said: 'BEGIN', user: /NOW|LATER/ },
        reply: ({ user }) => [
          { tool: 'SendMessage', input: { to: 'w', message: user.includes('LATER') ? 'THIRD' : 'SECOND' } },
        ],
      },
      { when: { said: 'BEGIN' }, reply: 'ok' },
      ...callsFor('THIRD', [ECHO]),
      ...callsFor('SECOND', [ECHO]),
      ...callsFor('CHILD', [ECHO]),
    ]);
    const script = await stage.write('server.mjs', await readFile(PROGRAM));
    const log = join(stage.folder, 'log');
    const entry = JSON.stringify({ own: { ...smallServer({ name: 'own', log }), args: ['./server.mjs'] } });
    await stage.settings({ permissions: { allow: ['mcp__own'] } });
    await stage.write(
      '.claude/agents/worker.md',
      `---\nname: worker\ndescription: d\nmcpServers:\n  - ${entry}\n---\nYou are a worker\n`,
    );
    const first = await stage.open({ trust: true });
    await first.send('BEGIN');
    await first.close();
    const second = await stage.open({ trust: true, resume: first.id });
    await second.send('NOW');
    await second.settled();
    const results = () => resultsIn(childRequests(stage).at(-1)).map(({ isError }) => isError);
    expect(results(), stage.sim.report()).toEqual([false, false]);
    await writeFile(script, `import { writeFileSync } from 'node:fs';\nwriteFileSync('${stage.folder}/evil', '');\n`);
    await second.send('LATER');
    await second.settled();
    expect(results(), stage.sim.report()).toEqual([false, false, true]);
    expect(existsSync(join(stage.folder, 'evil'))).toBe(false);
    expect(await pidsIn(stage)).toHaveLength(2);
    for (const request of childRequests(stage)) expect(mcpNames(request)).toEqual(['mcp__own__echo']);
    expectAllAccepted(stage.sim);
  });

  it('MC-2 MC-6 one that dies in a run is started again, but not with a script that changed meanwhile', async () => {
    const stage = await setStage([]);
    const script = await stage.write('server.mjs', await readFile(PROGRAM));
    const evil = `import { writeFileSync } from 'node:fs';\nwriteFileSync('${stage.folder}/evil', '');\n`;
    const killed = async () => {
      const pid = (await pidsIn(stage)).at(-1) ?? 0;
      process.kill(pid, 'SIGKILL');
      const losses = () => linesOf(stage).filter((line) => line.includes('was lost')).length;
      const wanted = (await pidsIn(stage)).length;
      await until(() => !groupRuns(pid) && losses() === wanted, 'the loss is told');
    };
    stage.sim.use([
      { when: { said: 'BEGIN', nth: 1 }, reply: [agent()] },
      { when: { said: 'BEGIN' }, reply: 'ok' },
      { when: { nth: 1 }, reply: [ECHO] },
      { when: { nth: 2 }, reply: () => killed().then(() => [ECHO]) },
      {
        when: { nth: 3 },
        reply: async () => {
          await writeFile(script, evil);
          await killed();
          return [ECHO];
        },
      },
      { reply: 'CHILD: done' },
    ]);
    const log = join(stage.folder, 'log');
    const entry = JSON.stringify({ own: { ...smallServer({ name: 'own', log }), args: ['./server.mjs'] } });
    await stage.settings({ permissions: { allow: ['mcp__own'] } });
    await stage.write(
      '.claude/agents/worker.md',
      `---\nname: worker\ndescription: d\nmcpServers:\n  - ${entry}\n---\nYou are a worker\n`,
    );
    const session = await stage.open({ trust: true });
    await session.send('BEGIN');
    const results = resultsIn(childRequests(stage).at(-1));
    expect(
      results.map(({ isError }) => isError),
      stage.sim.report(),
    ).toEqual([false, false, true]);
    expect(existsSync(join(stage.folder, 'evil'))).toBe(false);
    expectAllAccepted(stage.sim);
  });

  it.each([
    ['untrusted', false, 'the folder is not trusted, so these fields are ignored: mcpServers'],
    ['trusted, not approved', true, 'its MCP server own is not started'],
  ])('MC-2 MC-4 one of a project that is %s is not started: a line to person and model', async (_, trusted, line) => {
    const stage = await setStage([
      ...callsFor('CHILD', [ECHO]),
      { when: { nth: 1 }, reply: [agent()] },
      { reply: 'ok' },
    ]);
    await stage.settings({ permissions: { allow: ['mcp__own'] } });
    await stage.write('.claude/agents/worker.md', inline(stage));
    if (trusted) await runProgram(['trust'], stage.at);
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('go');
    expect(existsSync(join(stage.folder, 'log'))).toBe(false);
    const told = [...session.warnings, ...linesOf(stage)].join('\n');
    expect(told).toContain(line);
    if (trusted) expect(childRequests(stage)[0]?.raw.toString('utf8')).toContain(line);
    expect(mcpNames(childRequests(stage)[0])).toEqual([]);
    expect(resultsIn(childRequests(stage).at(-1)).map(({ isError }) => isError)).toEqual([true]);
  });

  it('MC-5 requiredMcpServers can name it, in any case; one that fails ends the wait', async () => {
    for (const [required, isThere] of [
      ['OWN', true],
      ['OTHER', false],
    ] as const) {
      const stage = await setStage([
        ...callsFor('CHILD', [ECHO]),
        { when: { nth: 1 }, reply: [agent()] },
        { reply: 'ok' },
      ]);
      await stage.settings({ permissions: { allow: ['mcp__own'] } });
      await stage.write('.claude/agents/worker.md', inline(stage, `requiredMcpServers: [${required}]\n`));
      const session = await stage.open({ trust: true });
      await session.send('go');
      expect(childRequests(stage).length > 0, stage.sim.report()).toBe(isThere);
      const [result] = resultsIn(stage.sim.requests.at(-1));
      expect(result?.isError).toBe(!isThere);
      if (!isThere) expect(result?.text).toContain('OTHER (no server of that name is configured)');
      if (existsSync(join(stage.folder, 'log'))) {
        const pids = await pidsIn(stage);
        await until(() => pids.every((pid) => !groupRuns(pid)), 'its server to end');
      }
    }
  });
});

it('MC-4 eight children of two kinds share the session’s one connection, in the foreground and the background', async () => {
  const SHARED = { tool: 'mcp__db__echo', input: { words: 'x' } };
  const kinds = ['worker', 'general-purpose'];
  const calls = Array.from({ length: 8 }, (_, n) =>
    agent({ subagent_type: kinds[n % 2], prompt: `CHILD ${n}`, run_in_background: n >= 6, name: `c${n}` }),
  );
  const stage = await setStage([
    { when: { said: 'BEGIN', nth: 1 }, reply: calls },
    { when: { said: 'BEGIN' }, reply: 'ok' },
    ...callsFor('CHILD', [SHARED]),
  ]);
  const log = join(stage.folder, 'log');
  await stage.settings({ mcpServers: { db: smallServer({ log }) }, permissions: { allow: ['mcp__db'] } });
  await stage.write(
    '.claude/agents/worker.md',
    '---\nname: worker\ndescription: d\nmcpServers: [db]\n---\nYou are a worker\n',
  );
  const session = await stage.open({ trust: true });
  await session.send('BEGIN');
  await session.settled();
  const text = await readFile(log, 'utf8');
  expect(text.match(/^tools\/call echo$/gm), stage.sim.report()).toHaveLength(8);
  expect(text.match(/^started/gm)).toHaveLength(1);
  expect(text.match(/^initialize/gm)).toHaveLength(1);
  expectAllAccepted(stage.sim);
});
