import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  declared,
  inProject,
  mainResults,
  requestOf,
  requestsOf,
  resultsIn,
  saidIn,
  script,
  systemOf,
  toolsOf,
} from './agents-script.js';

const ALPHA = 'TASK alpha';
const BETA = 'TASK beta';

describe('the Agent tool', () => {
  it('AG-1: a named definition, general-purpose and a fork: three ways to a child', async () => {
    const stage = await setStage(
      script({
        main: [
          [agentCall(ALPHA, { subagent_type: 'Plan' }), agentCall(BETA), agentCall('TASK gamma', { fork: true })],
          'All done.',
        ],
        [ALPHA]: ['Planned.'],
        [BETA]: ['Worked.'],
        'TASK gamma': ['Scope: forked.'],
      }),
    );
    const session = await stage.open({ fork: 'on' });
    expect(await session.send(begin())).toMatchObject({ reason: 'completed', text: 'All done.' });
    expectAllAccepted(stage.sim);
    expect(systemOf(requestOf(stage.sim, ALPHA))).toContain('planner of Coppice');
    expect(systemOf(requestOf(stage.sim, BETA))).toContain('agent of Coppice');
    expect(systemOf(requestOf(stage.sim, 'TASK gamma'))).toBe(systemOf(stage.sim.requests[0] as never));
    expect(mainResults(stage).map(({ text }) => text.split('\n')[0])).toEqual([
      'Planned.',
      'Worked.',
      'Scope: forked.',
    ]);
    const types = eventsOf(stage, 'agent-spawned').map(({ type }) => type);
    expect(types.sort()).toEqual(['Plan', 'fork', 'general-purpose']);
  });

  it('AG-2: an unknown type is an error that lists the others, the nearest first', async () => {
    const stage = await setStage(script({ main: [[agentCall('x', { subagent_type: 'code-reviwer' })], 'ok'] }));
    await stage.write(
      inProject('code-reviewer'),
      agentFile({ name: 'code-reviewer', description: 'reviews' }, 'Review.'),
    );
    await (await stage.open({ trust: true })).send(begin());
    const [result] = mainResults(stage);
    expect(result?.isError).toBe(true);
    expect(result?.text).toMatch(/no agent of type "code-reviwer".*There are: code-reviewer, /);
    expect(result?.text).toContain('general-purpose');
  });

  it('AG-2: a denied type is not offered, and refused under each of its names', async () => {
    const names = ['guide', 'Guide', 'claude-code-guide', 'claude_code_guide'];
    const stage = await setStage(
      script({ main: [names.map((name) => agentCall('x', { subagent_type: name })), 'ok'] }),
    );
    await (await stage.open({ disallowedTools: ['Agent(guide)'] })).send(begin());
    expect(declared(stage.sim.requests[0] as never, 'Agent').description).not.toMatch(/^- guide:/m);
    const results = mainResults(stage);
    expect(results).toHaveLength(4);
    for (const { text, isError } of results) {
      expect(isError).toBe(true);
      expect(text).toMatch(/denied/i);
    }
    expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
  });

  it('AG-3, FK-3: its text lists the types and speaks of forks only where there are any', async () => {
    const stage = await setStage(script({ main: ['ok'] }));
    await (await stage.open({ fork: 'off' })).send(begin());
    await (await stage.open({ fork: 'on' })).send(begin());
    const [without, with_] = stage.sim.requests.map((request) => declared(request, 'Agent'));
    for (const type of ['general-purpose', 'Explore', 'Plan', 'verification']) {
      expect(without?.description).toMatch(new RegExp(`^- ${type}: \\S`, 'm'));
    }
    expect(without?.description).not.toMatch(/fork/i);
    expect(without?.properties).not.toHaveProperty('fork');
    expect(with_?.description).toMatch(/fork: true/);
    expect(with_?.description).toMatch(/needs what was said here/);
    expect(with_?.description).toMatch(/For most work.*choose the type made for it/);
    expect(with_?.description).not.toMatch(/(omit|leav\w+ out|without) `?subagent_type/i);
    expect(with_?.properties).toHaveProperty('fork');
  });

  it('AG-4: the nearest folder wins over the user’s, --agents over both', async () => {
    const main = ['one', 'two', 'three'].map((name) => agentCall(`TASK ${name}`, { subagent_type: name }));
    const stage = await setStage(script({ main: [main, 'ok'], TASK: ['done'] }));
    const user = join(stage.home, '.claude', 'agents', 'deep');
    await mkdir(user, { recursive: true });
    for (const name of ['one', 'two', 'three']) {
      await writeFile(join(user, `${name}.md`), agentFile({ name, description: 'd' }, `USER ${name}`));
    }
    for (const name of ['two', 'three']) {
      await stage.write(inProject(`sub/${name}`), agentFile({ name, description: 'd' }, `PROJECT ${name}`));
    }
    const session = await stage.open({ trust: true, agents: { three: { description: 'd', prompt: 'FLAG three' } } });
    await session.send(begin());
    expectAllAccepted(stage.sim);
    expect(['one', 'two', 'three'].map((name) => systemOf(requestOf(stage.sim, `TASK ${name}`)).trim())).toEqual([
      'USER one',
      'PROJECT two',
      'FLAG three',
    ]);
  });

  it('AG-4, FK-25: a file that comes is applied at the next prompt, as a reminder; the prefix stays', async () => {
    const stage = await setStage(
      script({
        main: [
          async () => {
            await stage.write(inProject('late'), agentFile({ name: 'late', description: 'comes late' }, 'LATE'));
            return [agentCall(ALPHA, { subagent_type: 'late' })];
          },
          'first done',
          [agentCall(BETA, { subagent_type: 'late' })],
          'second done',
        ],
        [BETA]: ['worked'],
      }),
    );
    const session = await stage.open({ trust: true });
    await session.send(begin());
    expect(mainResults(stage)[0]?.text).toContain('no agent of type "late"');
    await session.send('again');
    expectAllAccepted(stage.sim);
    expect(systemOf(requestOf(stage.sim, BETA)).trim()).toBe('LATE');
    const third = stage.sim.requests[2];
    if (third === undefined) throw new Error('no third request');
    expect(saidIn(third)).toContain('Now there:\n- late: comes late');
    expect(declared(third, 'Agent').description).not.toContain('comes late');
    expect(eventsOf(stage, 'epoch-started').filter(({ reason }) => reason !== 'session-start')).toEqual([]);
  });

  it('AG-4: what comes in the middle of a run waits for its end, whatever the user says meanwhile', async () => {
    const stage = await setStage(
      script({
        main: [
          async () => {
            await stage.write(inProject('late'), agentFile({ name: 'late', description: 'comes late' }, 'LATE'));
            more = session.send('one more thing');
            return [{ tool: 'Glob', input: { pattern: '*' } }];
          },
          [agentCall(ALPHA, { subagent_type: 'late' })],
          'done',
        ],
      }),
    );
    const session = await stage.open({ trust: true });
    let more: Promise<unknown> = Promise.resolve();
    await session.send(begin());
    await more;
    expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
    const refused = eventsOf(stage, 'call-finished').filter(({ tool, isError }) => tool === 'Agent' && isError);
    expect(refused).toHaveLength(1);
  });

  it('AG-5: a messy file is loaded, a bad one hides no other, and one line tells how many there are', async () => {
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA, { subagent_type: 'Messy Reviewer' })], 'ok'], [ALPHA]: ['done'] }),
    );
    const messy =
      '\uFEFF---\r\nName: messy-reviewer\r\ndescription: Use this: always. <example>user: "hi"</example>\r\ntools: Read,\tGrep , Bash\r\nunknown_field: 1\r\n---\r\nMESSY BODY\r\n';
    await stage.write(inProject('messy'), messy);
    await stage.write(inProject('broken'), '---\nno name here\n');
    const session = await stage.open({ trust: true });
    await session.send(begin());
    expectAllAccepted(stage.sim);
    expect(systemOf(requestOf(stage.sim, ALPHA))).toContain('MESSY BODY');
    expect(toolsOf(requestOf(stage.sim, ALPHA))).toEqual(['Bash', 'Read', 'Grep']);
    expect(session.warnings).toEqual(['agent files: 1 skipped, 1 with warnings. Details: coppice agents']);
  });

  it('AG-5: a list of tools of which none is there is refused at the call, with the nearest spellings', async () => {
    const stage = await setStage(script({ main: [[agentCall(ALPHA, { subagent_type: 'odd' })], 'ok'] }));
    await stage.write(inProject('odd'), agentFile({ name: 'odd', description: 'd', tools: 'Raed, Gerp' }, 'x'));
    await (await stage.open({ trust: true })).send(begin());
    expect(mainResults(stage)[0]).toMatchObject({ isError: true });
    expect(mainResults(stage)[0]?.text).toMatch(/Raed \(nearest: Read.*Gerp \(nearest: Grep/);
  });

  it('AG-6: --agents as an object has the fields of a file, prompt for the body', async () => {
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA, { subagent_type: 'quick' })], 'ok'], [ALPHA]: ['done'] }),
    );
    const agents = { quick: { description: 'quick look', prompt: 'QUICK PROMPT', tools: ['Read'], model: 'haiku' } };
    await (await stage.open({ agents })).send(begin());
    const request = requestOf(stage.sim, ALPHA);
    expect(systemOf(request)).toContain('QUICK PROMPT');
    expect(toolsOf(request)).toEqual(['Read']);
    expect(request.body.model).toBe('claude-haiku-5-5');
  });

  it.each(['Explore', 'Plan'])('AG-8: %s only reads, even where nothing is asked any more', async (type) => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { subagent_type: type })], 'ok'],
        [ALPHA]: [
          [
            { tool: 'Bash', input: { command: 'touch made.txt' } },
            { tool: 'Bash', input: { command: 'ls -a' } },
            { tool: 'Bash', input: { command: 'ls > made2.txt' } },
          ],
          'done',
        ],
      }),
    );
    await (await stage.open({ permissionMode: 'bypassPermissions', allowedTools: ['Bash'] })).send(begin());
    const results = resultsIn(requestOf(stage.sim, ALPHA, 2));
    expect(results.map(({ isError }) => isError)).toEqual([true, false, true]);
    await expect(stage.read('made.txt')).rejects.toThrow();
    await expect(stage.read('made2.txt')).rejects.toThrow();
    expect(toolsOf(requestOf(stage.sim, ALPHA))).toEqual(['Bash', 'Read', 'Glob', 'Grep']);
  });
});

describe('model choice', () => {
  it('AG-9: environment, call, definition, parent: the first that is set', async () => {
    const rules = script({
      main: [
        [
          agentCall(ALPHA, { subagent_type: 'Explore' }),
          agentCall(BETA, { subagent_type: 'Explore', model: 'sonnet' }),
        ],
        'ok',
      ],
      TASK: ['done'],
    });
    const stage = await setStage(rules);
    await (await stage.open()).send(begin());
    expect([ALPHA, BETA].map((word) => requestOf(stage.sim, word).body.model)).toEqual([
      'claude-haiku-5-5',
      'claude-sonnet-5-5',
    ]);
    const forced = await setStage(rules.slice());
    forced.sim.use(script({ main: [[agentCall(ALPHA, { model: 'sonnet' })], 'ok'], [ALPHA]: ['done'] }));
    await (await forced.open({ env: { ...forced.env, COPPICE_SUBAGENT_MODEL: 'claude-haiku-4-5' } })).send(begin());
    expect(requestOf(forced.sim, ALPHA).body.model).toBe('claude-haiku-4-5');
  });

  it('AG-10: inherit means the model the parent really uses now', async () => {
    const stage = await setStage(
      script({ main: ['ready', [agentCall(ALPHA), agentCall(BETA, { model: 'inherit' })], 'ok'], TASK: ['done'] }),
    );
    const session = await stage.open({ model: 'opus' });
    await session.send(begin());
    await session.setModel('claude-sonnet-4-6');
    await session.send('now');
    expectAllAccepted(stage.sim);
    expect([ALPHA, BETA].map((word) => requestOf(stage.sim, word).body.model)).toEqual([
      'claude-sonnet-4-6',
      'claude-sonnet-4-6',
    ]);
  });

  it('AG-11: an alias of the parent’s family is the parent’s exact id', async () => {
    const stage = await setStage(script({ main: [[agentCall(ALPHA, { model: 'opus' })], 'ok'], [ALPHA]: ['done'] }));
    await (await stage.open({ model: 'claude-opus-4-5-20251101' })).send(begin());
    expect(requestOf(stage.sim, ALPHA).body.model).toBe('claude-opus-4-5-20251101');
  });
});

describe('what a child has', () => {
  it('AG-12: its own pool, not its parent’s; deny rules hold all the same', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { subagent_type: 'lead' })], 'ok'],
        [ALPHA]: [[agentCall(BETA)], 'led'],
        [BETA]: [
          [
            { tool: 'Bash', input: { command: 'ls' } },
            { tool: 'Glob', input: { pattern: '*' } },
          ],
          'done',
        ],
      }),
    );
    const agents = { lead: { description: 'leads', prompt: 'Lead.', tools: ['Agent'] } };
    await (await stage.open({ agents, disallowedTools: ['Bash'] })).send(begin());
    expectAllAccepted(stage.sim);
    expect(toolsOf(requestOf(stage.sim, ALPHA))).toEqual(['Agent']);
    expect(toolsOf(requestOf(stage.sim, BETA))).toEqual(
      expect.arrayContaining(['Read', 'Edit', 'Write', 'Glob', 'Agent']),
    );
    const [bash, glob] = resultsIn(requestOf(stage.sim, BETA, 2));
    expect(bash).toMatchObject({ isError: true });
    expect(glob).toMatchObject({ isError: false });
  });

  it('AG-12: Agent(a, b) in tools limits what it may start', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { subagent_type: 'lead' })], 'ok'],
        [ALPHA]: [
          [agentCall(BETA, { subagent_type: 'Plan' }), agentCall('TASK gamma', { subagent_type: 'explore' })],
          'led',
        ],
        'TASK gamma': ['found'],
      }),
    );
    await stage.write(
      inProject('lead'),
      agentFile({ name: 'lead', description: 'd', tools: 'Read, Agent(Explore, guide)' }, 'Lead.'),
    );
    await (await stage.open({ trust: true })).send(begin());
    const [plan, explore] = resultsIn(requestOf(stage.sim, ALPHA, 2));
    expect(plan).toMatchObject({ isError: true });
    expect(plan?.text).toContain('may only start: Explore, guide');
    expect(explore?.text).toContain('found');
  });

  it('AG-14: three levels by default; at the limit the Agent tool is absent', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall('LEVEL-1')], 'ok'],
        'LEVEL-1': [[agentCall('LEVEL-2')], 'one'],
        'LEVEL-2': [[agentCall('LEVEL-3')], 'two'],
        'LEVEL-3': [[agentCall('LEVEL-4')], 'three'],
      }),
    );
    await (await stage.open()).send(begin());
    expect([1, 2, 3].map((level) => toolsOf(requestOf(stage.sim, `LEVEL-${level}`)).includes('Agent'))).toEqual([
      true,
      true,
      false,
    ]);
    expect(resultsIn(requestOf(stage.sim, 'LEVEL-3', 2))[0]).toMatchObject({ isError: true });
    expect(requestsOf(stage.sim, 'LEVEL-4')).toEqual([]);
    expect(eventsOf(stage, 'agent-spawned').map(({ depth }) => depth)).toEqual([1, 2, 3]);
  });

  it('AG-14: maxDepth 1: children can’t start any', async () => {
    const stage = await setStage(script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: ['done'] }));
    await stage.settings({ maxDepth: 1 });
    await (await stage.open()).send(begin());
    expect(toolsOf(requestOf(stage.sim, ALPHA))).not.toContain('Agent');
    expect(toolsOf(requestOf(stage.sim, ALPHA))).toContain('Read');
  });

  it('AG-13: a child has no tool that speaks with the user or switches plan mode', async () => {
    const stage = await setStage(script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: ['done'] }));
    await (await stage.open({ interactive: true, fork: 'off' })).send(begin());
    const tools = toolsOf(requestOf(stage.sim, ALPHA));
    for (const name of ['AskUserQuestion', 'ExitPlanMode', 'EnterPlanMode']) expect(tools).not.toContain(name);
  });

  it('AG-15: it starts with its prompt, the facts, the instructions and the task: nothing of the parent’s talk', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { subagent_type: 'Plan' }), agentCall(BETA, { subagent_type: 'bare' })], 'ok'],
        TASK: ['done'],
      }),
    );
    await stage.write('CLAUDE.md', 'Always use tabs, says CLAUDE.md.');
    await stage.write(inProject('bare'), agentFile({ name: 'bare', description: 'd', omitClaudeMd: true }, 'BARE'));
    await (await stage.open({ trust: true })).send(begin('the secret word is xylophone'));
    const [plan, bare] = [requestOf(stage.sim, ALPHA), requestOf(stage.sim, BETA)];
    for (const request of [plan, bare]) {
      expect(request.body.messages).toHaveLength(1);
      expect(request.raw.toString()).not.toContain('xylophone');
      expect(saidIn(request)).toContain(stage.folder);
    }
    expect(saidIn(plan)).toContain('Always use tabs, says CLAUDE.md.');
    expect(saidIn(bare)).not.toContain('Always use tabs');
    expect(saidIn(plan).trimEnd().endsWith(ALPHA)).toBe(true);
  });

  it('AG-16: it may edit what its parent had read; what it reads itself is its own; cd moves only itself', async () => {
    const stage = await setStage(
      script({
        main: [
          () => [{ tool: 'Read', input: { file_path: join(stage.folder, 'one.txt') } }],
          [agentCall(ALPHA)],
          () => [
            {
              tool: 'Edit',
              input: { file_path: join(stage.folder, 'two.txt'), old_string: 'two', new_string: 'zwei' },
            },
            { tool: 'Bash', input: { command: 'pwd' } },
          ],
          'ok',
        ],
        [ALPHA]: [
          () => [
            {
              tool: 'Edit',
              input: { file_path: join(stage.folder, 'one.txt'), old_string: 'one', new_string: 'eins' },
            },
            { tool: 'Read', input: { file_path: join(stage.folder, 'two.txt') } },
            { tool: 'Bash', input: { command: 'cd sub && pwd' } },
          ],
          [{ tool: 'Bash', input: { command: 'pwd' } }],
          'done',
        ],
      }),
    );
    await stage.write('one.txt', 'one\n');
    await stage.write('two.txt', 'two\n');
    await stage.write('sub/x.txt', 'x');
    await (await stage.open({ permissionMode: 'acceptEdits', allowedTools: ['Bash'] })).send(begin());
    expectAllAccepted(stage.sim);
    expect(await stage.read('one.txt')).toBe('eins\n');
    expect(resultsIn(requestOf(stage.sim, ALPHA, 3))[0]?.text.trim()).toBe(join(stage.folder, 'sub'));
    const [edit, pwd] = mainResults(stage, 4);
    expect(edit).toMatchObject({ isError: true });
    expect(pwd?.text.trim()).toBe(stage.folder);
    expect(await stage.read('two.txt')).toBe('two\n');
  });
});
