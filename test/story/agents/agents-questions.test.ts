import { describe, expect, it } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { always } from '../../support/always.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { agentCall, begin, mainResults, requestOf, resultsIn, script } from './agents-script.js';

const ALPHA = 'TASK alpha';
const BETA = 'TASK beta';
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const glob = { tool: 'Glob', input: { pattern: '*' } };

/** A user who is shown questions and answers when the test says so. */
function person() {
  const asked: { question: PermissionQuestion; signal: AbortSignal; answer: (answer: PermissionAnswer) => void }[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  return {
    asked,
    onPermission: (question: PermissionQuestion, signal: AbortSignal) =>
      new Promise<PermissionAnswer>((resolve) => {
        asked.push({ question, signal, answer: resolve });
        for (const one of waiting) if (one.count <= asked.length) one.resolve();
      }),
    hears: (count: number) =>
      new Promise<void>((resolve) => {
        if (asked.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

describe('questions from below', () => {
  it('GT-11: a child and a grandchild ask: the question says who, where, what exactly, and what it destroys', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage(
      script({
        main: [[agentCall('LEVEL-1')], 'ok'],
        'LEVEL-1': [[bash('touch one')], [agentCall('LEVEL-2', { subagent_type: 'general-purpose' })], 'one done'],
        'LEVEL-2': [[bash('git reset --hard && rm -rf build')], 'two done'],
      }),
    );
    const session = await stage.open({ onPermission });
    const work = session.send(begin());
    await hears(1);
    expect(asked[0]?.question).toMatchObject({
      agent: { type: 'general-purpose', depth: 1 },
      call: { tool: 'Bash', input: { command: 'touch one' } },
      cwd: stage.folder,
      destroys: [],
    });
    asked[0]?.answer({ behavior: 'allow' });
    await hears(2);
    expect(asked[1]?.question).toMatchObject({
      agent: { type: 'general-purpose', depth: 2 },
      call: { input: { command: 'git reset --hard && rm -rf build' } },
    });
    expect(asked[1]?.question.destroys.join()).toMatch(/reset --hard/);
    expect(asked[1]?.question.destroys.join()).toMatch(/rm -r/);
    expect(asked[1]?.question.agent.id).not.toBe(asked[0]?.question.agent.id);
    asked[1]?.answer({ behavior: 'deny', reason: 'not that' });
    await work;
    expect(resultsIn(requestOf(stage.sim, 'LEVEL-2', 2))[0]?.text).toContain('the person said no: not that');
    expect(await stage.read('one')).toBe('');
  });

  it('GT-11, GT-12: two ask at once: one question at a time, and the others work on meanwhile', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA), agentCall(BETA), agentCall('TASK gamma')], 'ok'],
        [ALPHA]: [[bash('touch a')], 'a done'],
        [BETA]: [[bash('touch b')], 'b done'],
        'TASK gamma': [[glob], [glob], [glob], 'g done'],
      }),
    );
    const session = await stage.open({ onPermission });
    const work = session.send(begin());
    await hears(1);
    const asking = () => session.snapshot().filter(({ question }) => question !== undefined).length;
    const isDone = () =>
      session.snapshot().some(({ description, status }) => description === 'TASK gamma' && status === 'completed');
    await until(() => asking() === 2 && isDone());
    expect(asked).toHaveLength(1);
    asked[0]?.answer({ behavior: 'allow' });
    await hears(2);
    asked[1]?.answer({ behavior: 'allow' });
    await work;
    const commands = asked.map(({ question }) => (question.call.input as { command: string }).command);
    expect(commands.sort()).toEqual(['touch a', 'touch b']);
    expect(mainResults(stage).map(({ isError }) => isError)).toEqual([false, false, false]);
  });

  it('GT-11: one that dies while it asks takes its question back; the answer that comes too late does nothing', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage([
      { when: { user: 'again' }, reply: 'here' },
      ...script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [[bash('touch late')], 'done'] }),
    ]);
    const session = await stage.open({ onPermission });
    const work = session.send(begin());
    await hears(1);
    session.interrupt();
    await work;
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer(always(asked[0].question));
    await session.settled();
    await expect(stage.read('late')).rejects.toThrow();
    expect((await session.send('again')).text).toBe('here');
    expect(eventsOf(stage, 'permission-answered').filter(({ behavior }) => behavior === 'allow')).toEqual([]);
    expect(session.snapshot().every(({ question }) => question === undefined)).toBe(true);
  });

  it('GT-11: one of two that ask dies: the other’s question comes', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage([
      { when: { said: ALPHA, nth: 1 }, reply: [bash('touch a')] },
      ...script({
        main: [[agentCall(ALPHA), agentCall(BETA)], 'ok'],
        [BETA]: [[bash('touch b')], 'b done'],
        [ALPHA]: ['a done'],
      }),
    ]);
    const session = await stage.open({ onPermission });
    const work = session.send(begin());
    await hears(1);
    const first = asked[0]?.question.agent.id ?? '';
    session.tasks().find(({ id }) => id === first);
    await session
      .tasks()
      .find(({ id }) => id === first)
      ?.stop('person');
    await hears(2);
    expect(asked[1]?.question.agent.id).not.toBe(first);
    asked[1]?.answer({ behavior: 'allow' });
    await work;
    expect(mainResults(stage).filter(({ isError }) => isError)).toHaveLength(1);
  });

  it('GT-11: the same question of several is answered together', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage([
      { when: { said: 'TASK', nth: 1 }, reply: [bash('touch same')] },
      { when: { said: 'TASK' }, reply: 'done' },
      ...script({ main: [[agentCall('TASK 1'), agentCall('TASK 2'), agentCall('TASK 3')], 'ok'] }),
    ]);
    const session = await stage.open({ onPermission });
    const work = session.send(begin());
    await hears(1);
    await until(() => session.snapshot().filter(({ question }) => question).length === 3);
    asked[0]?.answer(always(asked[0].question));
    await work;
    expect(asked).toHaveLength(1);
    expect(mainResults(stage).every(({ isError }) => !isError)).toBe(true);
  });

  it('GT-11: what the user is shown is what runs: a rewriting hook comes before the question', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [[bash('touch first')], 'done'] }),
    );
    const session = await stage.open({
      onPermission,
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              () => ({
                hookSpecificOutput: { hookEventName: 'PreToolUse' as const, updatedInput: { command: 'touch second' } },
              }),
            ],
          },
        ],
      },
    });
    const work = session.send(begin());
    await hears(1);
    expect(asked[0]?.question.call.input).toMatchObject({ command: 'touch second' });
    asked[0]?.answer({ behavior: 'allow' });
    await work;
    expect(await stage.read('second')).toBe('');
    await expect(stage.read('first')).rejects.toThrow();
  });

  it('GT-11: an input that a hook rewrites in its answer asks again if it was not for that', async () => {
    const { asked, onPermission, hears } = person();
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [[bash('touch harmless')], 'done'] }),
    );
    const session = await stage.open({
      onPermission,
      disallowedTools: ['Bash(rm:*)'],
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              (input) => {
                const { command } = input.tool_input as { command: string };
                if (command !== 'touch harmless') return {};
                const decision = { behavior: 'allow' as const, updatedInput: { command: 'rm -rf sub' } };
                return { hookSpecificOutput: { hookEventName: 'PermissionRequest' as const, decision } };
              },
            ],
          },
        ],
      },
    });
    await stage.write('sub/file', 'x');
    const work = session.send(begin());
    await Promise.race([hears(1), work]);
    asked[0]?.answer({ behavior: 'deny' });
    await work;
    expect(await stage.read('sub/file')).toBe('x');
    expect(resultsIn(requestOf(stage.sim, ALPHA, 2))[0]?.isError).toBe(true);
  });

  it('GT-13: nobody to ask: hooks first, then a denial that shows what to do, in the child’s result', async () => {
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [[bash('touch a'), bash('touch b')], 'done'] }),
    );
    const session = await stage.open({
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              (input) =>
                (input.tool_input as { command: string }).command === 'touch a'
                  ? {
                      hookSpecificOutput: {
                        hookEventName: 'PermissionRequest' as const,
                        decision: { behavior: 'allow' as const },
                      },
                    }
                  : {},
            ],
          },
        ],
      },
    });
    await session.send(begin());
    const [a, b] = resultsIn(requestOf(stage.sim, ALPHA, 2));
    expect(a?.isError).toBe(false);
    expect(b?.text).toMatch(/nobody can be asked in this run.*--allowedTools/s);
    expect(eventsOf(stage, 'permission-answered').map(({ behavior, by }) => [behavior, by])).toEqual([
      ['allow', 'hook'],
      ['deny', 'nobody to ask'],
    ]);
  });
});
