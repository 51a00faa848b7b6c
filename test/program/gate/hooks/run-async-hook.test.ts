/** Commands in the background, with real processes. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../support/until.js';
import { answeringPorts } from '../../../unit/gate/hooks/handlers/ports.js';
import { bashCall, command, isRunning, newFolder, openHooks } from '../../../unit/gate/hooks/open-hooks.js';

const call = bashCall('ls');
const beforeCall = (line: string, more: object) => ({ PreToolUse: [{ hooks: [command(line, more)] }] });

function open(config: object) {
  const asked = answeringPorts();
  const opened = openHooks(config, { ports: asked.ports });
  onTestFinished(() => opened.hooks.close());
  return { ...opened, ...asked };
}

describe('EX-23: commands in the background', () => {
  it('EX-23: nobody waits for it, it gets the input, and what it says comes later; it decides nothing', async () => {
    const file = join(newFolder(), 'go');
    const answer = {
      systemMessage: 'done',
      decision: 'block',
      hookSpecificOutput: { additionalContext: 'lint: fine' },
    };
    const line = `input=$(cat); until [ -e '${file}' ]; do sleep 0.02; done; echo "$input" >'${file}.in'; echo '${JSON.stringify(answer)}'`;
    const { hooks, news } = open(beforeCall(line, { async: true }));
    expect(await hooks.run('PreToolUse', call)).toEqual({ ran: 1, context: [], messages: [] });
    expect(news).toEqual([]);
    writeFileSync(file, '');
    await until(() => news.length > 0, 'news');
    expect(news).toMatchObject([
      {
        cause: { agent: 'main', of: 't1' },
        context: 'lint: fine',
        messages: [
          { level: 'info', text: 'done' },
          { level: 'warning', text: "made a decision, which a background hook can't; it is ignored" },
        ],
      },
    ]);
    expect(news[0]?.wake).toBeUndefined();
    expect(JSON.parse(readFileSync(`${file}.in`, 'utf8'))).toMatchObject({ tool_input: { command: 'ls' } });
  });

  it('EX-23: exit 2 of asyncRewake wakes with stderr, or with stdout; of async it does not', async () => {
    const { hooks, news } = open({
      PreToolUse: [
        {
          hooks: [
            command('echo out; echo look at this >&2; exit 2', { asyncRewake: true }),
            command('echo out; exit 2', { asyncRewake: true }),
            command('echo fine', { asyncRewake: true }),
            command('echo no >&2; exit 2', { async: true }),
          ],
        },
      ],
    });
    expect((await hooks.run('PreToolUse', call)).decision).toBeUndefined();
    await until(() => news.length === 4, 'all four');
    expect(
      news
        .map(({ wake }) => wake)
        .filter((wake) => wake !== undefined)
        .sort(),
    ).toEqual(['look at this', 'out']);
  });

  it('EX-23: one that fails or is late blocks nothing, and it is reported; a late one is ended', async () => {
    const file = join(newFolder(), 'pid');
    const { hooks, news } = open({
      PreToolUse: [
        {
          hooks: [
            command('/no/such/program', { async: true }),
            command(`echo $$ >'${file}'; exec sleep 60`, { async: true, timeout: 2 }),
          ],
        },
      ],
    });
    expect((await hooks.run('PreToolUse', call)).decision).toBeUndefined();
    await until(() => news.length === 2, 'both');
    const said = news.flatMap(({ messages }) => messages.map(({ level, text }) => `${level} ${text}`)).sort();
    expect(said[0]).toContain('error could not be started (exit code 127)');
    expect(said[1]).toContain('error did not finish within 2 s');
    expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false);
  });

  it('EX-23: the end of the session ends it with all it started, and later ones don’t begin', async () => {
    const file = join(newFolder(), 'pid');
    const line = `sleep 60 & echo $! >'${file}.tmp'; mv '${file}.tmp' '${file}'; wait`;
    const { hooks, news } = open(beforeCall(line, { asyncRewake: true }));
    await hooks.withHooks([]).run('PreToolUse', call);
    await until(() => existsSync(file), 'the process');
    const pid = Number(readFileSync(file, 'utf8'));
    expect(isRunning(pid)).toBe(true);
    await hooks.close();
    expect(isRunning(pid)).toBe(false);
    rmSync(file);
    await hooks.run('PreToolUse', call);
    await hooks.close();
    expect([existsSync(file), news.length]).toEqual([false, 0]);
  });

  it('EX-23: at the end of a session, and without one, it is waited for', async () => {
    const { hooks } = open({ SessionEnd: [{ hooks: [command('echo bye', { async: true })] }] });
    expect((await hooks.run('SessionEnd', { reason: 'exit' })).messages).toMatchObject([{ text: 'bye' }]);
    const outside = openHooks(beforeCall('echo no >&2; exit 2', { async: true })).hooks;
    expect((await outside.run('PreToolUse', call)).decision).toBe('deny');
  });

  it('GT-3: one whose script changed since it was approved does not run', async () => {
    const asked = answeringPorts();
    const whyChanged = async () => 'x.sh changed since this hook was approved';
    const { hooks, folder } = openHooks(beforeCall('touch made', { async: true }), { ports: asked.ports, whyChanged });
    await hooks.run('PreToolUse', call);
    await until(() => asked.news.length > 0, 'news');
    expect(asked.news[0]?.messages).toMatchObject([{ level: 'error', text: expect.stringContaining('x.sh changed') }]);
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });
});

describe('EX-23: once', () => {
  it('EX-23: it runs once in a session, for all agents; another place of it is another hook', async () => {
    const file = join(newFolder(), 'ran');
    const add = command(`echo x >>'${file}'`, { once: true });
    const { hooks } = open({ PreToolUse: [{ hooks: [add] }], PostToolUseFailure: [{ hooks: [add] }] });
    await hooks.run('PreToolUse', call);
    await hooks.withHooks([]).run('PreToolUse', call);
    expect(readFileSync(file, 'utf8')).toBe('x\n');
    await hooks.run('PostToolUseFailure', { ...call, error: 'e' });
    expect(readFileSync(file, 'utf8')).toBe('x\nx\n');
  });

  it('GT-17: a guard that gave no answer is asked again', async () => {
    const file = join(newFolder(), 'there');
    const { hooks } = open(beforeCall(`[ -e '${file}' ] || kill -9 $$; echo no >&2; exit 2`, { once: true }));
    expect((await hooks.run('PreToolUse', call)).reason).toContain('killed');
    writeFileSync(file, '');
    expect((await hooks.run('PreToolUse', call)).reason).toBe('no');
    expect((await hooks.run('PreToolUse', call)).decision).toBeUndefined();
  });
});

it('GT-15: the same hook twice runs once, of every kind; a guard is not taken for its like in the background', async () => {
  const kinds = [
    { type: 'prompt', prompt: 'p' },
    { type: 'agent', prompt: 'p' },
    { type: 'mcp_tool', server: 's', tool: 't', input: { a: 1 } },
  ];
  const others = [
    { ...kinds[0], model: 'opus' },
    { ...kinds[2], input: { a: 2 } },
  ];
  const line = 'echo no >&2; exit 2';
  const { hooks, questions, calls, news } = open({
    PreToolUse: [
      { hooks: [...kinds, ...kinds] },
      { hooks: [...kinds, ...others] },
      { hooks: [command(line, { async: true }), command(line)] },
    ],
  });
  const verdict = await hooks.run('PreToolUse', call);
  expect(verdict).toMatchObject({ ran: 7, decision: 'deny', reason: 'no' });
  expect(questions.map(({ to, model }) => [to, model])).toEqual([
    ['model', undefined],
    ['agent', undefined],
    ['model', 'opus'],
  ]);
  expect(calls.map(({ input }) => input)).toEqual([{ a: 1 }, { a: 2 }]);
  await until(() => news.length === 1, 'the one in the background');
});
