import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { runningWith } from '../../support/processes.js';
import { setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults, childCall, childIds, expectSettled, noticesIn, statesOf } from './background-stage.js';

/** A number no other process has in its command line. */
function mark(): string {
  return `${7_000_000 + Math.floor(Math.random() * 900_000)}.5`;
}

const background = (command: string) => ({ tool: 'Bash', input: { command, run_in_background: true } });

describe('commands in the background', () => {
  it('LC-15: a command is a task like any other: output file, notice with its exit, TaskOutput', async () => {
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [background('echo one; echo two >&2; exit 3')] },
      { reply: 'On.' },
    ]);
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('Run it.');
    await expectSettled(session, stage);
    const [notice] = noticesIn(stage.events);
    expect(notice?.text).toContain('<agent>Bash</agent>\n<status>failed</status>');
    expect(notice?.text).toContain('<result>exit code 3. The output is in the output file.</result>');
    const [task] = session.tasks();
    expect(task).toMatchObject({ kind: 'shell', status: 'failed', progress: 'exit code 3' });
    expect(task?.outputFile).toMatch(/\/tasks\/sh-\w+\.output$/);
    expect((await readFile(task?.outputFile ?? '', 'utf8')).split('\n').sort()).toEqual(['', 'one', 'two']);
  });

  it('LC-15: TaskStop ends the whole group, and the notice comes when it is gone (LC-11)', async () => {
    const number = mark();
    const stage = await setStage([
      { when: { user: '<status>stopped</status>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [background(`sleep ${number} & sleep ${number}; wait`)] },
      {
        when: { nth: 2 },
        reply: (request) => {
          const id = /as task (\S+)\./.exec(request.results[0]?.text ?? '')?.[1];
          return [{ tool: 'TaskStop', input: { task_id: id } }];
        },
      },
      { reply: 'Stopped it.' },
    ]);
    let leftAtNotice: string[] | undefined;
    const session = await stage.open({
      permissionMode: 'bypassPermissions',
      onEvent: (watched) => {
        stage.events.push(watched);
        if (noticesIn([watched]).length > 0) leftAtNotice = runningWith(number);
      },
    });
    await session.send('Run it.');
    await expectSettled(session, stage);
    expect(leftAtNotice).toEqual([]);
    expect(session.tasks()).toMatchObject([{ status: 'stopped' }]);
    expect(noticesIn(stage.events)).toHaveLength(1);
  });

  it('LC-11: what a command left running is ended before its notice, and a stray that holds the pipe can’t delay it', async () => {
    const number = mark();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [background(`sleep ${number} & setsid sleep 3 & echo done`)] },
      { reply: 'On.' },
    ]);
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('Run it.');
    await expectSettled(session, stage);
    expect(noticesIn(stage.events)).toHaveLength(1);
    expect(runningWith(`sleep ${number}`)).toEqual([]);
  });

  it('LC-11: a child’s commands end with it: at its notice none of its processes runs', async () => {
    const number = mark();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD', nth: 1 }, reply: [background(`sleep ${number}`)] },
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      { reply: 'On.' },
    ]);
    let leftAtNotice: string[] | undefined;
    const session = await stage.open({
      permissionMode: 'bypassPermissions',
      onEvent: (watched) => {
        stage.events.push(watched);
        if (noticesIn([watched]).length > 0) leftAtNotice ??= runningWith(number);
      },
    });
    await session.send('Delegate.');
    await expectSettled(session, stage);
    expect(leftAtNotice).toEqual([]);
    expect(noticesIn(stage.events).map(({ agent }) => agent)).toEqual(childIds(stage));
    expect(callResults(stage, 'Bash')[0]).toContain('It is stopped when you finish');
  });

  it('LC-11: a command that takes long to end keeps the notice of its child back until it is gone', async () => {
    const number = mark();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      // It hears no polite signal, and changes something, so that no box ends it for us.
      {
        when: { said: 'CHILD', nth: 1 },
        reply: [background(`trap '' TERM; touch ready; while true; do sleep ${number}; done`)],
      },
      {
        when: { said: 'CHILD', nth: 2 },
        reply: [{ tool: 'Bash', input: { command: 'until [ -e ready ]; do sleep 0.01; done; touch seen' } }],
      },
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
      { reply: 'On.' },
    ]);
    let leftAtNotice: string[] | undefined;
    const session = await stage.open({
      permissionMode: 'bypassPermissions',
      allowedTools: ['Bash'],
      onEvent: (watched) => {
        stage.events.push(watched);
        if (noticesIn([watched]).length > 0) leftAtNotice ??= runningWith(number);
      },
    });
    await session.send('Delegate.');
    await expectSettled(session, stage);
    expect(callResults(stage, 'Bash')[0]).toContain('It is stopped when you finish');
    expect(leftAtNotice).toEqual([]);
    expect(noticesIn(stage.events)).toHaveLength(1);
  });

  it('LC-6: leaving the session leaves no process, and running agents are interrupted, not stopped', async () => {
    const number = mark();
    const begun = gate();
    const stage = await setStage([
      { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Bash', input: { command: `sleep ${number}` } }] },
      {
        when: { said: 'THINKER' },
        reply: () => {
          begun.open();
          return new Promise<string>(() => {});
        },
      },
      {
        when: { nth: 1 },
        reply: [
          childCall({ run_in_background: true }),
          childCall({ run_in_background: true, prompt: 'THINKER' }),
          background(`sleep ${number}`),
        ],
      },
      { reply: 'On.' },
    ]);
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('Delegate.');
    await begun.opened;
    await until(() => runningWith(`sleep ${number}`).length >= 2, 'both commands run');
    await session.close();
    expect(runningWith(`sleep ${number}`)).toEqual([]);
    for (const id of childIds(stage)) expect(await statesOf(session, id)).toEqual(['running', 'interrupted']);
    expect(noticesIn(stage.events)).toEqual([]);
  });
});
