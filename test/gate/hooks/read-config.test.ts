import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS } from '../../../src/gate/hooks/hook-events.js';
import { readConfig } from '../../../src/gate/hooks/read-config.js';
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

  it('GT-17: a timeout too long for a timer does not fire at once', () => {
    const { handlers } = read({ Stop: [{ hooks: [command('a', { timeout: 99_999_999 })] }] });
    expect(handlers[0]?.timeoutMs).toBe(2 ** 31 - 1);
  });

  it('GT-17: types that are not run are named, all in one warning, and a PreToolUse one is pointed out', () => {
    const { handlers, warnings } = read({
      PreToolUse: [{ hooks: [{ type: 'http', url: 'http://x' }, command('guard')] }],
      Stop: [
        {
          hooks: [
            { type: 'prompt', prompt: 'ok?' },
            { type: 'agent', prompt: 'ok?' },
          ],
        },
        { hooks: [{ type: 'mcp_tool', server: 's', tool: 't' }, command('slow', { async: true })] },
      ],
    });
    expect(handlers.map((handler) => handler.kind === 'command' && handler.command)).toEqual(['guard']);
    expect(warnings).toHaveLength(1);
    for (const named of ['PreToolUse http', 'Stop prompt', 'Stop agent', 'Stop mcp_tool', 'Stop async', 'here.json']) {
      expect(warnings[0]).toContain(named);
    }
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
