/** LC-19 in the real program: it continues until its background tasks have ended, or their time is up. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { runningWith } from '../../support/processes.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';
import { childCall } from './background-stage.js';

const delegate: readonly Rule[] = [
  { when: { said: 'FAST' }, reply: 'Fast is done.', delay: { firstMs: 150 } },
  { when: { said: 'SLOW' }, reply: 'Slow is done.', delay: { firstMs: 400 } },
  { when: { said: 'NEVER' }, fault: 'silence' },
  { when: { user: 'Slow is done.' }, reply: 'The last word.' },
  { when: { user: 'Fast is done.' }, reply: 'One of two.' },
];

const both: Rule = {
  when: { nth: 1 },
  reply: [
    childCall({ prompt: 'FAST', description: 'fast part', run_in_background: true }),
    childCall({ prompt: 'SLOW', description: 'slow part', run_in_background: true }),
  ],
};

beforeAll(buildProgram);

describe('headless', () => {
  it('LC-19: notices wake the main agent until no child is left; the result is that of the last turn', async () => {
    const stage = await setStage([...delegate, both, { reply: 'Handed on.' }]);
    const where = stage.at;
    const ended = await runProgram(['-p', 'Delegate.'], where);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: 'The last word.\n' });
    const json = await runProgram(['-p', 'Delegate.', '--output-format', 'json'], where);
    expect(JSON.parse(json.stdout)).toMatchObject({ subtype: 'success', is_error: false, result: 'The last word.' });
  });

  it('LC-19: after --background-wait the rest is stopped and named; exit code 1', async () => {
    const number = `${8_000_000 + Math.floor(Math.random() * 900_000)}.5`;
    const stage = await setStage([
      ...delegate,
      {
        when: { nth: 1 },
        reply: [
          childCall({ prompt: 'NEVER', name: 'stuck', description: 'stuck part', run_in_background: true }),
          { tool: 'Bash', input: { command: `sleep ${number}`, run_in_background: true } },
        ],
      },
      { reply: 'Handed on.' },
    ]);
    const where = stage.at;
    const flags = ['--background-wait', '0.5', '--permission-mode', 'bypassPermissions'];
    const text = await runProgram(['-p', 'Delegate.', ...flags], where);
    expect(text).toMatchObject({ code: 1, stdout: 'Handed on.\n' });
    expect(text.stderr).toMatch(
      /background tasks did not finish within 0.5 s and were stopped: \w+ \(stuck: stuck part\), sh-\w+ \(sleep /,
    );
    const requests = stage.sim.requests.length;
    const json = await runProgram(['-p', 'Delegate.', '--output-format', 'json', ...flags], where);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      subtype: 'error_background_wait',
      is_error: true,
      result: 'Handed on.',
      stopped_tasks: [{ title: 'stuck: stuck part' }, { title: `sleep ${number}` }],
    });
    // No turn is begun for what was stopped.
    expect(stage.sim.requests.length - requests).toBe(3);
    expect(runningWith(number)).toEqual([]);
  });

  it('LC-19: stream-json tells of tasks: begun, at work, ended', async () => {
    const stage = await setStage([
      { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*.md' } }] },
      { when: { said: 'CHILD' }, reply: 'Child done.' },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      {
        when: { nth: 1 },
        reply: [
          childCall({ description: 'count "pages" <here>', run_in_background: true }),
          { tool: 'Bash', input: { command: 'sleep 0.3; echo out', run_in_background: true } },
        ],
      },
      { reply: 'Handed on.' },
    ]);
    const flags = ['--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'];
    const ended = await runProgram(['-p', 'Delegate.', ...flags], stage.at);
    expect(ended.code, ended.stderr).toBe(0);
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const tasks = lines.filter((line) => line.subtype?.startsWith('task_'));
    const of = (subtype: string, id: RegExp) =>
      tasks.filter((line) => line.subtype === subtype && id.test(line.task_id));
    const agent = /^(?!sh-)/;
    expect(of('task_started', agent)).toMatchObject([
      { task_type: 'local_agent', description: 'count "pages" <here>' },
    ]);
    const called = of('task_progress', agent).filter((line) => line.last_tool_name !== undefined);
    expect(called).toMatchObject([{ last_tool_name: 'Glob', summary: 'Glob: *.md', tool_uses: 1, background: true }]);
    expect(of('task_notification', agent)).toMatchObject([
      {
        status: 'completed',
        summary: 'count "pages" <here> completed',
        output_file: expect.stringContaining('.output'),
      },
    ]);
    expect(of('task_started', /^sh-/)).toMatchObject([{ task_type: 'local_bash', description: 'sleep 0.3; echo out' }]);
    expect(of('task_notification', /^sh-/)).toMatchObject([{ status: 'completed' }]);
    for (const line of tasks) expect(line).toMatchObject({ type: 'system', session_id: expect.any(String) });
    expect(of('task_started', agent)[0].tool_use_id).toBe(of('task_notification', agent)[0].tool_use_id);
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Heard.' });
  });

  it('LC-4, EX-7: --coordinator and a wrong --background-wait', async () => {
    const stage = await setStage([{ reply: 'I only delegate.' }]);
    const where = stage.at;
    expect(await runProgram(['-p', 'Hello.', '--coordinator'], where)).toMatchObject({ code: 0 });
    const names = JSON.parse(stage.sim.requests[0]?.raw.toString('utf8') ?? '{}').tools.map(
      (tool: { name: string }) => tool.name,
    );
    expect(names.sort()).toEqual(['Agent', 'ListAgents', 'SendMessage', 'TaskOutput', 'TaskStop']);
    const wrong = await runProgram(['-p', 'Hello.', '--background-wait', 'soon'], where);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('number of seconds');
  });
});
