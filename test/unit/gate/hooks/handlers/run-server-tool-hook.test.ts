/** `mcp_tool` hooks: what a server's tool is given, and what its words mean. */

import { describe, expect, it } from 'vitest';
import { fillInput } from '../../../../../src/gate/hooks/handlers/run-server-tool-hook.js';
import { bashCall, openHooks } from '../open-hooks.js';
import { answeringPorts } from './ports.js';

const call = bashCall('ls -l');
const hook = { type: 'mcp_tool', server: 'guard', tool: 'check' };
const guard = (more: object = {}) => ({ PreToolUse: [{ hooks: [{ ...hook, ...more }] }] });
const place = (path: string) => `\${${path}}`;

describe('EX-23: mcp_tool hooks', () => {
  it('EX-23: the tool gets what the hook says, with fields of the hook’s input in it; its text is read like a print', async () => {
    const deny = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } };
    const asked = answeringPorts({ tool: async () => JSON.stringify(deny) });
    const input = { line: `run ${place('tool_input.command')}`, whole: place('tool_input'), at: [place('cwd')] };
    const { hooks, folder } = openHooks(guard({ input }), { ports: asked.ports });
    expect(await hooks.run('PreToolUse', call)).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(asked.calls).toEqual([
      {
        server: 'guard',
        tool: 'check',
        input: { line: 'run ls -l', whole: { command: 'ls -l' }, at: [folder] },
        cause: { agent: 'main', of: 't1' },
      },
    ]);
  });

  it('EX-23: a field that is not there, an inherited one, and what looks like a place in a value', () => {
    const fields = { tool_input: { n: 3, list: ['a', 'b'], text: place('cwd'), none: null }, cwd: '/p' };
    const filled = (template: unknown) => fillInput(template, fields);
    expect(filled(place('tool_input.n'))).toBe(3);
    expect(filled(`n=${place('tool_input.n')}, ${place('tool_input.list')}`)).toBe('n=3, ["a","b"]');
    expect(filled(place('tool_input.list.1'))).toBe('b');
    expect(filled(place('tool_input.missing'))).toBe(null);
    expect(filled(`<${place('tool_input.missing')}${place('tool_input.none')}>`)).toBe('<>');
    expect(filled(place('tool_input.constructor.name'))).toBe(null);
    expect(filled(place('tool_input.text'))).toBe(place('cwd'));
    expect(filled(`x ${place('tool_input.text')}`)).toBe(`x ${place('cwd')}`);
    expect(filled({ a: 1, b: true, c: null, d: '$cwd' })).toEqual({ a: 1, b: true, c: null, d: '$cwd' });
  });

  it('GT-17: one that fails, is late or leaves its JSON unfinished blocks a call; elsewhere it is only reported', async () => {
    const failing = answeringPorts({ tool: () => Promise.reject(new Error('the MCP server guard is not there')) });
    const config = { ...guard(), Stop: [{ hooks: [hook] }] };
    const { hooks } = openHooks(config, { ports: failing.ports });
    const verdict = await hooks.run('PreToolUse', call);
    expect(verdict).toMatchObject({ decision: 'deny', messages: [{ level: 'error' }] });
    expect(verdict.reason).toContain('the MCP server guard is not there');
    const atStop = await hooks.run('Stop', { stop_hook_active: false });
    expect(atStop).not.toHaveProperty('decision');
    expect(atStop.messages).toMatchObject([{ level: 'error' }]);
    const silent = answeringPorts({ tool: () => new Promise(() => {}) });
    const late = openHooks(guard({ timeout: 0.1 }), { ports: silent.ports }).hooks;
    expect((await late.run('PreToolUse', call)).reason).toContain('did not finish within 0.1 s');
    expect(silent.signals.map(({ aborted }) => aborted)).toEqual([true]);
    const half = answeringPorts({ tool: async () => '{"decision":' });
    expect((await openHooks(guard(), { ports: half.ports }).hooks.run('PreToolUse', call)).decision).toBe('deny');
  });

  it('GT-17: where no session is open it can’t be started', async () => {
    const verdict = await openHooks(guard()).hooks.run('PreToolUse', call);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain('could not be started: it needs a session');
    const closed = () => Promise.reject(new Error('the session is not open yet'));
    expect((await openHooks(guard(), { ports: closed }).hooks.run('PreToolUse', call)).decision).toBe('deny');
  });

  it('MC-23: a project’s mcp_tool hook accepts no server’s question; one of the user does', async () => {
    const accept = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content: { a: 1 } } };
    const { ports } = answeringPorts({ tool: async () => JSON.stringify(accept) });
    const fields = { mcp_server_name: 's', message: 'm', mode: 'form' } as const;
    const run = (isOwn: boolean) => {
      const sources = [{ origin: 'x', hooks: { Elicitation: [{ hooks: [hook] }] }, isOwn }];
      return openHooks({}, { ports, sources }).hooks.run('Elicitation', fields);
    };
    expect((await run(true)).elicited).toEqual({ action: 'accept', content: { a: 1 } });
    expect(await run(false)).not.toHaveProperty('elicited');
  });
});
