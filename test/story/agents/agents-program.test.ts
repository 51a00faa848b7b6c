/** Agents and forks through the real program: `agents`, `cache`, `--agent`, `--agents`, `--fork`, lines of stream-json. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  declared,
  inProject,
  requestOf,
  saidIn,
  script,
  systemOf,
  toolsOf,
} from './agents-script.js';

beforeAll(buildProgram);

const run = (stage: Stage, ...args: string[]) => runProgram(args, stage.at);

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

describe('coppice agents', () => {
  it('AG-4: each definition with its file, what it shadows, and every warning with file and line', async () => {
    const stage = await setStage();
    const mine = join(stage.home, '.claude', 'agents', 'reviewer.md');
    await write(mine, agentFile({ name: 'reviewer', description: 'mine' }, 'x'));
    const project = await stage.write(
      inProject('reviewer'),
      agentFile({ name: 'reviewer', description: 'the project’s', tools: 'Read, Grep', model: 'sonnet' }, 'x'),
    );
    const explore = await stage.write(
      inProject('explore'),
      agentFile({ name: 'Explore', description: 'another' }, 'x'),
    );
    const messy = await stage.write(inProject('messy'), '---\nname: messy\ndescription: d\nmodle: opus\n---\nx\n');
    await stage.write(inProject('bad'), '---\nname: [\n');
    const end = await run(stage, 'agents', '--json', '--trust');
    expect(end.code).toBe(0);
    const { agents, shadowed, problems } = JSON.parse(end.stdout);
    const byName = new Map<string, Record<string, unknown>>(
      agents.map((agent: { name: string }) => [agent.name, agent]),
    );
    expect(byName.get('reviewer')).toMatchObject({
      description: 'the project’s',
      tools: ['Read', 'Grep'],
      model: 'sonnet',
      file: project,
      scope: 'project',
      shadows: [mine],
    });
    expect(byName.get('explore') ?? byName.get('Explore')).toMatchObject({ file: explore, shadows: ['built-in'] });
    expect(byName.get('general-purpose')).toMatchObject({
      scope: 'built-in',
      tools: 'all',
      model: 'inherit',
      shadows: [],
    });
    expect(shadowed).toMatchObject([{ name: 'reviewer', file: mine, by: project }]);
    expect(problems).toContainEqual(expect.objectContaining({ file: messy, line: 4, severity: 'warning' }));
    expect(
      problems.some((problem: { file: string; line: number }) => problem.file.endsWith('bad.md') && problem.line >= 1),
    ).toBe(true);
    const text = await run(stage, 'agents', '--trust');
    expect(text.stdout).toContain(`reviewer  (project: ${project})`);
    expect(text.stdout).toContain(`  shadows ${mine}`);
    expect(text.stderr).toMatch(/messy\.md:4:.*modle/);
  });

  it('AG-5: a run says in one line that something is wrong; the command tells all, also that one can’t start, and why', async () => {
    const stage = await setStage([{ reply: 'Hello.' }]);
    for (let n = 0; n < 12; n += 1) {
      await stage.write(inProject(`odd${n}`), `---\nname: odd${n}\ndescription: d\nmodle: opus\ncolour: red\n---\nx\n`);
    }
    await stage.write(inProject('broken'), '---\nno fields here\n');
    const isolated = await stage.write(
      inProject('isolated'),
      '---\nname: isolated\ndescription: d\nisolation: worktree\nskills: [a]\n---\nx\n',
    );
    await stage.write(inProject('misspelt'), agentFile({ name: 'misspelt', description: 'd', tools: 'Raed' }, 'x'));
    const end = await run(stage, '-p', 'hi', '--trust');
    expect(end).toMatchObject({
      code: 0,
      stdout: 'Hello.\n',
      stderr: 'agent files: 1 skipped, 12 with warnings. Details: coppice agents\n',
    });
    const all = await run(stage, 'agents', '--trust');
    expect(all.stderr.match(/odd\d+\.md:4: warning: unknown field/g)).toHaveLength(12);
    expect(all.stderr).toMatch(/broken\.md:\d+: error: skipped/);
    expect(all.stdout).toContain(
      `isolated  (project: ${isolated})\n  d\n  model inherit; all tools; in its own worktree\n`,
    );
    expect(all.stdout).toMatch(
      /can't start: None of the tools that the definition of misspelt lists is there: Raed \(nearest: Read/,
    );
    const { agents } = JSON.parse((await run(stage, 'agents', '--trust', '--json')).stdout);
    const stuck = agents.filter((agent: { cannotStart?: string }) => agent.cannotStart !== undefined);
    expect(stuck.map(({ name }: { name: string }) => name)).toEqual(['misspelt']);
  });

  it('AG-5: listed tools that are not there are named; an agent without any has no tools', async () => {
    const stage = await setStage();
    const tools = 'Read, Grpe, Bash(git diff:*), mcp__docs, Task(worker)';
    await stage.write(inProject('partly'), agentFile({ name: 'partly', description: 'd', tools }, 'x'));
    await stage.write(inProject('bare'), agentFile({ name: 'bare', description: 'd', disallowedTools: '"*"' }, 'x'));
    const { stdout } = await run(stage, 'agents', '--trust');
    expect(stdout).toContain('  unknown tools (ignored): Grpe\n');
    expect(stdout).toContain('/bare.md)\n  d\n  model inherit; no tools\n');
    const { agents } = JSON.parse((await run(stage, 'agents', '--trust', '--json')).stdout);
    const told = agents.filter((agent: { absentTools?: unknown }) => agent.absentTools !== undefined);
    expect(told).toMatchObject([{ name: 'partly', absentTools: ['Grpe'] }]);
  });

  it('AG-5: a model that is not known is named, and stops nothing', async () => {
    const stage = await setStage([{ reply: 'Hello.' }]);
    const models = ['gpt-99', 'own-model', 'own', 'Opus', 'opusplan', 'inherit', 'claude-opus-5-5-20260101'];
    for (const [n, model] of models.entries()) {
      await stage.write(inProject(`m${n}`), agentFile({ name: `m${n}`, description: 'd', model }, 'x'));
    }
    const settings = { models: { 'own-model': { context: 100_000, aliases: ['own'] } } };
    await stage.write('.claude/settings.json', JSON.stringify(settings));
    const { stdout, stderr } = await run(stage, 'agents', '--trust');
    expect(stderr).toBe('');
    expect(stdout.match(/.*unknown model .*/g)).toEqual(['  unknown model gpt-99; it is sent as given']);
    const { agents } = JSON.parse((await run(stage, 'agents', '--trust', '--json')).stdout);
    const told = agents.filter((agent: { unknownModel?: unknown }) => agent.unknownModel !== undefined);
    expect(told).toMatchObject([{ name: 'm0', unknownModel: 'gpt-99' }]);
    expect(await run(stage, '-p', 'hi', '--trust')).toMatchObject({ code: 0, stdout: 'Hello.\n', stderr: '' });
  });

  it('AG-4: without trust the project’s come last and what acts in them is named', async () => {
    const stage = await setStage();
    const mine = join(stage.home, '.claude', 'agents', 'reviewer.md');
    await write(mine, agentFile({ name: 'reviewer', description: 'mine' }, 'x'));
    await stage.write(
      inProject('reviewer'),
      agentFile({ name: 'reviewer', description: 'theirs', permissionMode: 'bypassPermissions' }, 'x'),
    );
    const { agents, problems } = JSON.parse((await run(stage, 'agents', '--json')).stdout);
    expect(agents.find((agent: { name: string }) => agent.name === 'reviewer')).toMatchObject({ file: mine });
    expect(JSON.stringify(problems)).toContain(
      'the folder is not trusted, so these fields are ignored: permissionMode',
    );
  });

  it('AG-5: --dir reads that folder only: every file is listed with name, description, tools and model, or reported', async () => {
    const stage = await setStage();
    await stage.write(inProject('unseen'), agentFile({ name: 'unseen', description: 'd' }, 'x'));
    const files: Record<string, string> = {
      'a/tidy.md': agentFile({ name: 'tidy', description: 'tidy', tools: 'Read', model: 'opus' }, 'x'),
      'a/list.md': '---\nname: list\ndescription: d\ntools:\n  - Read\n  - Bash\n---\nbody',
      'b/colon.md':
        '---\nname: colon\ndescription: Use when: always. Examples: <example>user: hi</example>\nmodel: claude-opus-5-5\n---\nbody',
      'b/crlf.md': '\uFEFF---\r\nname: crlf\r\ndescription: windows\r\n---\r\nbody\r\n',
      'b/tidy.md': agentFile({ name: 'tidy', description: 'the second' }, 'x'),
      'b/empty.md': '',
      'b/binary.md': 'a\0b',
      'fork.md': agentFile({ name: 'fork', description: 'mine' }, 'x'),
    };
    for (const [name, content] of Object.entries(files)) await stage.write(join('collection', name), content);
    const end = await run(stage, 'agents', '--json', '--dir', 'collection');
    const { agents, shadowed, problems } = JSON.parse(end.stdout);
    for (const agent of [...agents, ...shadowed]) {
      expect(agent).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        model: expect.any(String),
        tools: expect.anything(),
      });
    }
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['tidy', 'list', 'colon', 'crlf']),
    );
    expect(agents.map(({ name }: { name: string }) => name)).not.toContain('unseen');
    expect(agents.map(({ name }: { name: string }) => name)).not.toContain('general-purpose');
    const told = new Set([...agents, ...shadowed, ...problems].map(({ file }: { file: string }) => file));
    for (const name of Object.keys(files)) expect(told).toContain(join(stage.folder, 'collection', name));
    expect(JSON.stringify(problems)).toMatch(/fork.*reserved/);
    expect((await run(stage, 'agents', '--dir', 'nowhere')).code).toBe(2);
  });
});

describe('the flags', () => {
  it('AG-6: --agent runs the session as that agent: prompt, tools, model and first prompt', async () => {
    const stage = await setStage(script({ main: ['done'] }));
    await stage.write('CLAUDE.md', 'INSTRUCTIONS');
    const fields = {
      name: 'lead',
      description: 'd',
      tools: 'Read, Agent(Explore)',
      model: 'sonnet',
      initialPrompt: 'FIRST WORDS',
      omitClaudeMd: true,
    };
    await stage.write(inProject('lead'), agentFile(fields, 'LEAD PROMPT'));
    const end = await run(stage, '-p', begin(), '--agent', 'Lead', '--trust');
    expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'done\n' });
    const request = stage.sim.requests[0] as SimRequest;
    expect(systemOf(request).trim()).toBe('LEAD PROMPT');
    expect(toolsOf(request)).toEqual(['Read', 'Agent']);
    expect(request.body.model).toBe('claude-sonnet-5-5');
    expect(saidIn(request)).toMatch(/FIRST WORDS\n+MAIN/);
    expect(saidIn(request)).not.toContain('INSTRUCTIONS');
    const wrong = await run(stage, '-p', 'x', '--agent', 'leed', '--trust');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/No agent "leed".*Available: lead,/);
  });

  it('AG-6: --model wins over the agent’s; --agents gives more agents as JSON', async () => {
    const stage = await setStage(
      script({ main: [[agentCall('TASK x', { subagent_type: 'quick' })], 'done'], 'TASK x': ['found'] }),
    );
    const agents = JSON.stringify({
      quick: { description: 'quick', prompt: 'QUICK', model: 'haiku' },
      lead: { description: 'l', prompt: 'LEAD', model: 'haiku' },
    });
    const end = await run(stage, '-p', begin(), '--agents', agents, '--agent', 'lead', '--model', 'claude-opus-4-8');
    expect(end.code, end.stderr).toBe(0);
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests[0]?.body.model).toBe('claude-opus-4-8');
    expect(systemOf(requestOf(stage.sim, 'TASK x')).trim()).toBe('QUICK');
    expect(requestOf(stage.sim, 'TASK x').body.model).toBe('claude-haiku-5-5');
  });

  it('FK-2: --fork on and off; anything else is refused', async () => {
    const stage = await setStage(script({ main: ['done'] }));
    await run(stage, '-p', 'x', '--fork', 'on');
    await run(stage, '-p', 'x', '--fork', 'off');
    const has = stage.sim.requests.map((request) => 'fork' in declared(request, 'Agent').properties);
    expect(has).toEqual([true, false]);
    expect((await run(stage, '-p', 'x', '--fork', 'perhaps')).code).toBe(2);
  });
});

describe('stream-json and cache', () => {
  it('LC-20 AG-16: the lines of children carry the call that started them and their chain, at every depth', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall('LEVEL-1')], 'done'],
        'LEVEL-1': [[agentCall('LEVEL-2')], 'one done'],
        'LEVEL-2': [[{ tool: 'Glob', input: { pattern: '*' } }], 'two done'],
      }),
    );
    const end = await run(stage, '-p', begin(), '--output-format', 'stream-json', '--verbose');
    const lines = end.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const replies = lines.filter(({ type }) => type === 'assistant');
    const callOf = (text: string) =>
      JSON.stringify(replies.find((line) => JSON.stringify(line).includes(text))?.parent_tool_use_id);
    const calls = replies.flatMap((line) =>
      line.message.content
        .filter((block: { name?: string }) => block.name === 'Agent')
        .map((block: { id: string }) => block.id),
    );
    expect(calls).toHaveLength(2);
    expect(callOf('one done')).toBe(JSON.stringify(calls[0]));
    expect(callOf('two done')).toBe(JSON.stringify(calls[1]));
    expect(replies.at(-1)?.parent_tool_use_id).toBeNull();
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'done' });
    // AG-16: and where in the tree its agent stands.
    const placeOf = (text: string) => {
      const { chain, depth } = replies.find((line) => JSON.stringify(line).includes(text));
      return [chain.split('/').length, depth, chain.startsWith(replies.at(-1)?.chain)];
    };
    expect(['one done', 'two done'].map(placeOf)).toEqual([
      [2, 1, true],
      [3, 2, true],
    ]);
  });

  it('GT-13: what a child was denied is in the result of the run', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall('TASK x')], 'done'],
        'TASK x': [[{ tool: 'Bash', input: { command: 'touch x' } }], 'denied'],
      }),
    );
    const end = await run(stage, '-p', begin(), '--output-format', 'json');
    expect(JSON.parse(end.stdout).permission_denials).toMatchObject([
      { tool_name: 'Bash', tool_input: { command: 'touch x' } },
    ]);
  });

  it('FK-13, FK-26: coppice cache prints a row per request, the epochs, what siblings see, and what the forks saved', async () => {
    const forks = [1, 2, 3].map((n) => agentCall(`DIRECTIVE ${n}`, { fork: true }));
    const stage = await setStage(
      script({
        main: [() => [{ tool: 'Read', input: { file_path: join(stage.folder, 'big.txt') } }], forks, 'done'],
        DIRECTIVE: ['Scope: done'],
      }),
    );
    await stage.write('big.txt', 'some words of a file\n'.repeat(900));
    expect((await run(stage, '-p', begin(), '--fork', 'on')).code).toBe(0);
    expectAllAccepted(stage.sim);
    const {
      session,
      rows,
      epochs,
      forks: summary,
      total,
    } = JSON.parse((await run(stage, 'cache', 'latest', '--json')).stdout);
    expect(rows).toHaveLength(6);
    expect(total.requests).toBe(6);
    const starts = rows.filter((row: { forkStart: boolean }) => row.forkStart);
    expect(starts).toHaveLength(3);
    for (const row of starts)
      expect(row).toMatchObject({ type: 'fork', request: 1, shared: { with: 'main', percent: 100 }, siblings: 'own' });
    expect(epochs.filter(({ agent }: { agent: string }) => agent === 'main')).toMatchObject([
      { reason: 'session-start', request: 1 },
    ]);
    const usage = stage.sim.requests.map((request) => request.usage);
    const sum = (values: (number | null | undefined)[]) => values.reduce<number>((all, one) => all + (one ?? 0), 0);
    expect(sum(rows.map(({ cacheRead }: { cacheRead: number }) => cacheRead))).toBe(
      sum(usage.map((one) => one?.cache_read_input_tokens)),
    );
    expect(sum(rows.map(({ cacheWritten }: { cacheWritten: number }) => cacheWritten))).toBe(
      sum(usage.map((one) => one?.cache_creation_input_tokens)),
    );
    expect(summary.count).toBe(3);
    expect(summary.usdSaved).toBeGreaterThan(0);
    expect(summary.usd).toBeLessThan(summary.usdWithoutSharing / 3);
    const text = await run(stage, 'cache', session.slice(0, 20));
    expect(text.stdout).toMatch(/fork \w{8}\s+1\s+[\d.]+\s+100%/);
    expect(text.stdout.match(/fork of main; siblings: own$/gm)).toHaveLength(3);
    expect(text.stdout).toMatch(/forks: 3, \$[\d.]+; without their parent's cache \$[\d.]+: \$[\d.]+ saved/);
    expect(text.stdout).toContain('main: session-start at request 1');
    expect((await run(stage, 'cache', 'nothing-like-it')).code).toBe(2);
  });
});
