import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS } from '../../../../src/gate/hooks/hook-events.js';
import { readConfig } from '../../../../src/gate/hooks/read-config.js';
import { command } from './open-hooks.js';

const read = (hooks: unknown) => readConfig([{ origin: 'here.json', hooks }]);

describe('reading the configuration', () => {
  it('GT-14: every event of the list takes hooks', () => {
    const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [command('true')] }]]));
    const { handlers, warnings } = read(hooks);
    expect(handlers.map((handler) => handler.event)).toEqual([...HOOK_EVENTS]);
    expect(warnings).toEqual([]);
  });

  it('GT-17: a hook has 600 s, or what it says', () => {
    const { handlers } = read({ Stop: [{ hooks: [command('a'), command('b', { timeout: 2 })] }] });
    expect(handlers.map((handler) => handler.timeoutMs)).toEqual([600_000, 2_000]);
  });

  it('GT-17, EX-23: a function and a tool of a server have as long, too', () => {
    const tool = { type: 'mcp_tool', server: 's', tool: 't' };
    const { handlers } = read({ Stop: [{ hooks: [() => ({}), tool] }, { timeout: 2, hooks: [() => ({})] }] });
    expect(handlers.map((handler) => handler.timeoutMs)).toEqual([600_000, 600_000, 2_000]);
  });

  it('GT-17: a timeout too long for a timer does not fire at once', () => {
    const { handlers } = read({ Stop: [{ hooks: [command('a', { timeout: 99_999_999 })] }] });
    expect(handlers[0]?.timeoutMs).toBe(2 ** 31 - 1);
  });

  it('EX-23: every kind is read, with its time and what it was given', () => {
    const http = { type: 'http', url: 'http://localhost:1/in', headers: { A: '$T' }, allowedEnvVars: ['T'] };
    const { handlers, warnings } = read({
      PreToolUse: [{ hooks: [{ ...http, if: 'Bash(git *)' }, command('guard')] }],
      Stop: [
        {
          hooks: [
            { type: 'prompt', prompt: 'ok?', model: 'opus', statusMessage: 'thinking' },
            { type: 'agent', prompt: 'ok?', once: true },
            { type: 'mcp_tool', server: 's', tool: 't', input: { a: 1 }, timeout: 5 },
          ],
        },
        { hooks: [command('quiet', { async: true }), command('loud', { asyncRewake: true, args: ['x'] })] },
      ],
    });
    expect(warnings).toEqual([]);
    expect(handlers.map(({ event, origin, isOwn, matcher, ...own }) => own)).toEqual([
      {
        kind: 'http',
        url: 'http://localhost:1/in',
        headers: { A: '$T' },
        allowedEnvVars: ['T'],
        timeoutMs: 600_000,
        condition: 'Bash(git *)',
      },
      { kind: 'command', command: 'guard', timeoutMs: 600_000 },
      { kind: 'prompt', prompt: 'ok?', model: 'opus', timeoutMs: 30_000 },
      { kind: 'agent', prompt: 'ok?', timeoutMs: 60_000, once: true },
      { kind: 'mcp_tool', server: 's', tool: 't', input: { a: 1 }, timeoutMs: 5_000 },
      { kind: 'command', command: 'quiet', background: 'quiet', timeoutMs: 600_000 },
      { kind: 'command', command: 'loud', args: ['x'], background: 'wakes', timeoutMs: 600_000 },
    ]);
  });

  it('EX-23: what is not true does not send a guard to the background', () => {
    const { handlers } = read({ PreToolUse: [{ hooks: [command('guard', { async: 'yes', once: 1 })] }] });
    expect(handlers).toHaveLength(1);
    expect(handlers[0]).not.toHaveProperty('background');
    expect(handlers[0]).not.toHaveProperty('once');
  });

  it('GT-17: types that nobody knows are named, all in one warning, and a PreToolUse one is pointed out', () => {
    const { handlers, warnings } = read({
      PreToolUse: [{ hooks: [{ type: 'wasm', module: 'x' }, command('guard')] }],
      Stop: [{ hooks: [{ type: 'email', to: 'x' }] }],
    });
    expect(handlers.map((handler) => handler.kind === 'command' && handler.command)).toEqual(['guard']);
    expect(warnings).toHaveLength(1);
    for (const named of ['PreToolUse wasm', 'Stop email', 'here.json']) expect(warnings[0]).toContain(named);
    expect(warnings[0]).toContain('the calls it would block are not blocked');
  });

  it.each([
    ['a misspelt event', { PreTooluse: [] }, /Did you mean PreToolUse/],
    ['an event of another program', { FileChanged: [] }, /"FileChanged" never run/],
    ['no object', [1], /must be an object/],
    ['no list', { Stop: { hooks: [] } }, /hooks\.Stop must be a list/],
    ['a group without hooks', { Stop: [{ matcher: 'x' }] }, /hooks\.Stop\[0\] is ignored: hooks/],
    [
      'a hook without a command',
      { Stop: [{ hooks: [{ type: 'command' }] }] },
      /Stop\[0\]\.hooks\[0\] is not run: it has no command/,
    ],
    ['a hook that is text', { Stop: [{ hooks: ['make test'] }] }, /Stop\[0\]\.hooks\[0\] is not run/],
    ['a timeout in words', { Stop: [{ hooks: [command('a', { timeout: 'soon' })] }] }, /timeout of hooks\.Stop/],
    ['an unusable matcher', { PreToolUse: [{ matcher: '[', hooks: [] }] }, /run for every call/],
    ['an unusable matcher elsewhere', { PostToolUse: [{ matcher: '[', hooks: [] }] }, /never run/],
    ['an http hook without an address', { Stop: [{ hooks: [{ type: 'http' }] }] }, /is not run: url/],
    ['an address of a file', { Stop: [{ hooks: [{ type: 'http', url: 'file:///x' }] }] }, /http or https address/],
    ['a tool without a server', { Stop: [{ hooks: [{ type: 'mcp_tool', tool: 't' }] }] }, /is not run: server/],
    ['a blank prompt', { Stop: [{ hooks: [{ type: 'prompt', prompt: ' ' }] }] }, /is not run: prompt/],
    [
      'a condition of a prompt without a call',
      { Stop: [{ hooks: [{ type: 'prompt', prompt: 'ok?', if: 'Bash' }] }] },
      /needs a tool call/,
    ],
    [
      'a prompt that should make a worktree',
      { WorktreeCreate: [{ hooks: [{ type: 'prompt', prompt: 'ok?' }] }] },
      /answers with a path/,
    ],
    ['one in the background', { WorktreeCreate: [{ hooks: [command('a', { async: true })] }] }, /answers with a path/],
    [
      'a header with a variable that is not listed',
      { Stop: [{ hooks: [{ type: 'http', url: 'http://x', headers: { A: `b \${TOKEN}` } }] }] },
      /name TOKEN, which its allowedEnvVars does not list/,
    ],
    ['a condition without a call', { Stop: [{ hooks: [command('a', { if: 'Bash(git *)' })] }] }, /needs a tool call/],
  ])('GT-14: %s is a warning that says where', (_, hooks, expected) => {
    const { warnings } = read(hooks);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(expected);
    expect(warnings[0]).toContain('here.json');
  });

  it.each([undefined, null, {}, { Stop: null }])('nothing configured (%j) is nothing to say', (hooks) => {
    expect(read(hooks)).toEqual({ handlers: [], warnings: [] });
  });
});
