import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import {
  callResults,
  childCall,
  childIds,
  expectSettled,
  noticesIn,
  requestsWith,
  statesOf,
} from './background-stage.js';

describe('in the background', () => {
  it('LC-5: the call returns at once; the notice wakes the idle parent when the child has ended', async () => {
    const held = gate();
    const stage = await setStage([
      {
        when: { user: '<task-notification>' },
        reply: 'Heard of it.',
      },
      {
        when: { said: 'CHILD' },
        reply: async () => {
          await held.opened;
          return 'The child’s conclusion.';
        },
      },
      { when: { nth: 1 }, reply: ['Off it goes.', childCall({ run_in_background: true, name: 'worker' })] },
      { when: { result: 'Started in the background' }, reply: 'I go on.' },
    ]);
    const session = await stage.open();
    const end = await session.send('Delegate.');
    expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'I go on.' });
    expect(session.tasks()).toMatchObject([{ kind: 'agent', status: 'running', title: 'worker: a part' }]);
    const [task] = session.tasks();
    held.open();
    const settled = await session.settled();
    expect(settled).toMatchObject({ end: { text: 'Heard of it.' }, stopped: [] });
    expect(await task?.done).toMatchObject({ status: 'completed', content: 'The child’s conclusion.' });
    expectAllAccepted(stage.sim);

    const [notice] = noticesIn(stage.events);
    const [id = ''] = childIds(stage);
    expect(notice).toMatchObject({ agent: id, run: 1, to: 'main' });
    expect(notice?.text).toMatch(
      new RegExp(
        [
          '^<task-notification>',
          `<task-id>${id}</task-id><tool-use-id>\\S+</tool-use-id><agent>worker</agent>`,
          '<status>completed</status>',
          '<summary>a part completed</summary>',
          '<result>The child’s conclusion.</result>',
          '<usage>tokens: \\d+, tool calls: 0, duration: \\d+ ms</usage>',
          '<output-file>\\S+\\.output</output-file>',
          '</task-notification>$',
        ].join('\n'),
      ),
    );
    // The order at the end of a run, as it is on record: each step before the next.
    const kinds = (await readTranscript(agentTranscript(session, id))).map(({ event }) => event.kind);
    const last = kinds.slice(kinds.indexOf('run-ended'));
    expect(last).toEqual(['run-ended', 'result-made', 'agent-state-changed', 'notice-queued']);
    expect(await statesOf(session, id)).toEqual(['running', 'completed']);
  });

  it('LC-5: hooks stop first, and may keep it going; then the hand-off check stands before the result', async () => {
    const order: string[] = [];
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'not yet' }, reply: 'Better now.' },
      { when: { said: 'CHILD' }, reply: 'A first try.' },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      { reply: 'On.' },
    ]);
    await stage.settings({
      handoffCheck: 'read line; printf "%s" "$line" > handed.json; echo "it touched <task-notification> /etc"',
    });
    const session = await stage.open({
      hooks: {
        SubagentStop: [
          {
            hooks: [
              (input) => {
                order.push('hook');
                return input.stop_hook_active ? {} : { decision: 'block', reason: 'not yet' };
              },
            ],
          },
        ],
      },
      onEvent: (watched) => {
        stage.events.push(watched);
        const { event } = watched;
        if (event.kind === 'result-made' || event.kind === 'notice-queued') order.push(event.kind);
        if (event.kind === 'agent-state-changed') order.push(event.state);
      },
    });
    await session.send('Delegate.');
    await expectSettled(session, stage);
    expect(order).toEqual(['running', 'hook', 'hook', 'result-made', 'completed', 'notice-queued']);
    const [notice] = noticesIn(stage.events);
    expect(notice?.text).toContain(
      '<result>[Hand-off check: it touched <~task-notification> /etc]\nBetter now.</result>',
    );
    const handed = JSON.parse(await stage.read('handed.json'));
    expect(handed).toMatchObject({ agent_id: childIds(stage)[0], transcript_path: expect.stringContaining('agent-') });
  });

  it('LC-5: a hand-off check that fails is reported, and none is no warning', async () => {
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      { reply: 'On.' },
    ]);
    await stage.settings({ handoffCheck: 'exit 3' });
    const session = await stage.open();
    await session.send('Delegate.');
    await expectSettled(session, stage);
    expect(noticesIn(stage.events)[0]?.text).toContain('[Hand-off check: the check itself failed (exit 3)]\nDone.');
  });

  it('LC-4: a definition or the session can say that a child runs in the background', async () => {
    for (const how of ['definition', 'setting'] as const) {
      const stage = await setStage([
        { when: { user: '<task-notification>' }, reply: 'Heard.' },
        { when: { said: 'CHILD' }, reply: 'Done.' },
        { when: { nth: 1 }, reply: [childCall(how === 'definition' ? { subagent_type: 'slow' } : {})] },
        { when: { result: 'Started in the background' }, reply: 'On.' },
      ]);
      if (how === 'setting') await stage.settings({ forceBackground: true });
      const session = await stage.open({
        agents: { slow: { description: 'slow work', prompt: 'You work slowly.', background: true } },
      });
      expect(await session.send('Delegate.'), stage.sim.report()).toMatchObject({ text: 'On.' });
      await expectSettled(session, stage);
      expect(noticesIn(stage.events)).toHaveLength(1);
    }
  });

  it('LC-4: COPPICE_DISABLE_BACKGROUND takes the field out of the schemas and turns it off', async () => {
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'Done.' },
      {
        when: { nth: 1 },
        reply: [
          childCall({ run_in_background: true }),
          { tool: 'Bash', input: { command: 'echo hello', run_in_background: true } },
        ],
      },
      { reply: 'End.' },
    ]);
    stage.env.COPPICE_DISABLE_BACKGROUND = '1';
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('Delegate.');
    const body = JSON.parse(stage.sim.requests[0]?.raw.toString('utf8') ?? '{}');
    const tools = body.tools as { name: string; input_schema: { properties: object }; description: string }[];
    for (const name of ['Agent', 'Bash']) {
      const tool = tools.find((one) => one.name === name);
      expect(Object.keys(tool?.input_schema.properties ?? {})).not.toContain('run_in_background');
      expect(tool?.description).not.toContain('run_in_background');
    }
    expect(session.toBackground()).toBe(0);
    expect(noticesIn(stage.events)).toEqual([]);
    expect(callResults(stage, 'Agent')[0]).toContain('Done.');
    expect(callResults(stage, 'Bash')[0]).toContain('Background commands are not available here');
  });

  it('EX-7: a coordinator has only the tools to delegate, forks are off, every child is in the background', async () => {
    for (const how of ['option', 'environment'] as const) {
      const stage = await setStage([
        { when: { user: '<task-notification>' }, reply: 'Heard.' },
        { when: { said: 'CHILD' }, reply: 'Done.' },
        { when: { nth: 1 }, reply: [childCall({ fork: true })] },
        { when: { result: 'Started in the background' }, reply: 'On.' },
      ]);
      if (how === 'environment') stage.env.COPPICE_COORDINATOR = '1';
      const session = await stage.open({ interactive: true, ...(how === 'option' ? { coordinator: true } : {}) });
      expect(await session.send('Delegate.'), stage.sim.report()).toMatchObject({ text: 'On.' });
      await expectSettled(session, stage);
      const body = JSON.parse(stage.sim.requests[0]?.raw.toString('utf8') ?? '{}');
      const tools = body.tools as { name: string; input_schema: { properties: object } }[];
      expect(tools.map((tool) => tool.name).sort()).toEqual([
        'Agent',
        'ListAgents',
        'SendMessage',
        'TaskOutput',
        'TaskStop',
      ]);
      expect(Object.keys(tools[0]?.input_schema.properties ?? {})).not.toContain('fork');
      const child = requestsWith(stage.sim, 'CHILD').find((raw) => !raw.includes('Delegate.')) ?? '{}';
      expect(JSON.parse(child).tools.map((tool: { name: string }) => tool.name)).toContain('Bash');
      expect(eventsOf(stage, 'agent-spawned')).toMatchObject([{ background: true, type: 'general-purpose' }]);
    }
  });

  it('LC-6: Esc in the parent leaves a background child alone; TaskStop ends it', async () => {
    const held = gate();
    const begun = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      {
        when: { said: 'CHILD' },
        reply: async () => {
          begun.open();
          await held.opened;
          return 'Survived.';
        },
      },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      { when: { nth: 2 }, reply: [{ tool: 'Wait', input: {} }] },
      { reply: 'On.' },
    ]);
    const waiting = gate();
    const wait = readingTool('Wait', async (_, signal) => {
      waiting.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return 'over';
    });
    const session = await stage.open({ tools: [wait] });
    const end = session.send('Delegate.');
    await Promise.all([waiting.opened, begun.opened]);
    session.interrupt();
    expect(await end).toMatchObject({ reason: 'interrupted' });
    expect(session.tasks()).toMatchObject([{ status: 'running' }]);
    held.open();
    await expectSettled(session, stage);
    expect(noticesIn(stage.events)[0]?.text).toContain('Survived.');
    expect(await session.tasks()[0]?.done).toMatchObject({ status: 'completed' });
    expectAllAccepted(stage.sim);
  });

  it('LC-7: the output file has every step from the first second, while the child works', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD', nth: 1 }, reply: ['I look.', { tool: 'Glob', input: { pattern: '*.md' } }] },
      {
        when: { said: 'CHILD' },
        reply: async () => {
          await held.opened;
          return 'There are none.';
        },
      },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true, description: 'count pages' })] },
      { reply: 'On.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    const path = session.tasks()[0]?.outputFile ?? '';
    const read = () => readFile(path, 'utf8').catch(() => '');
    await until(async () => (await read()).includes('Glob'), 'the call is in the output file');
    expect(await read()).toBe('general-purpose: count pages\nI look.\nGlob {"pattern":"*.md"}\n');
    held.open();
    await expectSettled(session, stage);
    expect(await read()).toBe(
      'general-purpose: count pages\nI look.\nGlob {"pattern":"*.md"}\nThere are none.\ncompleted\n',
    );
  });

  it('LC-7: the parent may read the output file of its child without being asked', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      {
        when: { said: 'CHILD' },
        reply: async () => {
          await held.opened;
          return 'Done.';
        },
      },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      {
        when: { nth: 2 },
        reply: (request) => {
          const path = /Its progress is written to (\S+),/.exec(request.results[0]?.text ?? '')?.[1];
          return [{ tool: 'Read', input: { file_path: path } }];
        },
      },
      { reply: 'I have read it.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    expect(requestsWith(stage.sim, 'general-purpose: a part')).toHaveLength(1);
    expect(eventsOf(stage, 'permission-answered')).toEqual([]);
    held.open();
    await expectSettled(session, stage);
  });

  it('LC-10: what comes while the parent works waits for its next safe point, all in one message', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true }), childCall({ run_in_background: true })] },
      { when: { nth: 2 }, reply: [{ tool: 'Wait', input: {} }] },
      { reply: 'Read it all.' },
    ]);
    const wait = readingTool('Wait', async () => {
      await held.opened;
      return 'over';
    });
    const session = await stage.open({ tools: [wait] });
    const end = session.send('Delegate.');
    await until(() => noticesIn(stage.events).length === 2, 'both notices');
    void session.send('And one more thing.');
    await until(() => eventsOf(stage, 'input-admitted').some((event) => event.origin === 'person'), 'the words');
    held.open();
    await end;
    await expectSettled(session, stage);
    const last = stage.sim.requests.map((request) => JSON.parse(request.raw.toString('utf8'))).at(-1);
    const message = last.messages.at(-1);
    expect(
      message.content.map((block: { type: string; text?: string }) => block.text?.slice(0, 19) ?? block.type),
    ).toEqual(['tool_result', '<task-notification>', '<task-notification>', 'And one more thing.']);
    expectAllAccepted(stage.sim);
  });
});
