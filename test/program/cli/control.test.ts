/** The control lines of stream-json: the real program, driven by another program. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type PlainStage, setPlainStage } from './plain/plain-stage.js';

const ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const TOUCH: Rule[] = [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'touch made' }, id: 'toolu_1' }] },
];

type Line = Record<string, unknown> & { readonly type: string };

function drive(stage: PlainStage, args: readonly string[] = []) {
  const program = stage.pipe([...ARGS, ...args]);
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const send = (line: object) => program.say(JSON.stringify(line));
  return {
    ...program,
    lines,
    ofType: (type: string) => lines().filter((line) => line.type === type),
    send,
    prompt: (content: unknown) => send({ type: 'user', message: { role: 'user', content } }),
    request: (request_id: string, request: object) => send({ type: 'control_request', request_id, request }),
    /** The answer to one of our requests. */
    answer: async (id: string) => {
      await program.until(new RegExp(`"control_response".*"request_id":"${id}"`));
      const found = lines().find(
        (line) => line.type === 'control_response' && (line.response as Line).request_id === id,
      );
      return found?.response as Record<string, unknown>;
    },
    /** The nth question put to us. */
    question: async (nth = 1) => {
      await program.until(new RegExp(`(?:"can_use_tool"[\\s\\S]*){${nth}}`));
      const found = lines().filter((line) => line.type === 'control_request')[nth - 1];
      return found as unknown as { request_id: string; request: Record<string, unknown> };
    },
    reply: (request_id: string, response: unknown) =>
      send({ type: 'control_response', response: { subtype: 'success', request_id, response } }),
  };
}

const INITIALIZE = { subtype: 'initialize' };
const ASKS = ['--permission-prompt-tool', 'stdio'];

describe('stream-json input', () => {
  it('SF-5: prompts in, one result for each, the session ends with the input', async () => {
    const stage = await setPlainStage([
      { when: { user: 'second' }, reply: 'Two.' },
      { when: { user: 'first' }, reply: 'One.' },
    ]);
    const client = drive(stage);
    client.prompt('first');
    client.prompt([{ type: 'text', text: 'second' }]);
    expect(await client.end()).toBe(0);
    const results = client.ofType('result');
    expect(results.map((line) => [line.result, line.num_turns])).toEqual([
      ['One.', 1],
      ['Two.', 1],
    ]);
    expect(Number(results[1]?.total_cost_usd)).toBeGreaterThan(Number(results[0]?.total_cost_usd));
    expect(client.ofType('system').filter((line) => line.subtype === 'init')).toHaveLength(1);
    expect(new Set(results.map((line) => line.session_id)).size).toBe(1);
  });

  it('SF-5: images in a prompt reach the model', async () => {
    const stage = await setPlainStage([{ reply: 'A pixel.' }]);
    const client = drive(stage);
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    client.prompt([
      { type: 'text', text: 'look' },
      { type: 'image', source },
    ]);
    expect(await client.end()).toBe(0);
    expect(stage.sim.requests[0]?.raw.toString('utf8')).toContain(PIXEL);
    expect(client.ofType('result')[0]?.result).toBe('A pixel.');
  });

  it('SF-5: a malformed line is answered by an error line, and nothing ends', async () => {
    const stage = await setPlainStage([{ reply: 'Still here.' }]);
    const client = drive(stage);
    const wrong = [
      'garbage',
      '[1,2',
      '42',
      'null',
      '{"type":"nonsense"}',
      '{"type":"user"}',
      '{"type":"user","message":{"role":"user","content":"  "}}',
      '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]}}',
      '{"type":"control_response","response":{"subtype":"success"}}',
    ];
    for (const line of wrong) client.say(line);
    client.say('{"type":"control_request","request_id":"q","request":{}}');
    client.say('{"type":"keep_alive"}');
    client.prompt('hello');
    expect(await client.end()).toBe(0);
    const errors = client.ofType('system').filter((line) => line.is_error === true);
    expect(errors).toHaveLength(wrong.length);
    expect(errors[0]?.content).toBe('invalid input line 1: it is not JSON');
    expect(await client.answer('q')).toMatchObject({ subtype: 'error' });
    expect(client.ofType('result').map((line) => line.result)).toEqual(['Still here.']);
  });

  it('CL-3: initialize is answered, also a second one like it; an unknown request is an error, and nothing ends', async () => {
    const stage = await setPlainStage([{ when: { system: 'PIRATE' }, reply: 'Arr.' }]);
    const client = drive(stage);
    const pirate = { ...INITIALIZE, hooks: null, systemPrompt: ['Talk like a PIRATE.'] };
    client.request('1', pirate);
    expect(await client.answer('1')).toMatchObject({ subtype: 'success', response: { output_style: 'default' } });
    client.request('2', pirate);
    expect(await client.answer('2')).toMatchObject({ subtype: 'success' });
    client.request('3', { subtype: 'make_coffee' });
    expect((await client.answer('3')).error).toContain('make_coffee');
    client.prompt('hello');
    expect(await client.end()).toBe(0);
    expect(client.ofType('result')[0]?.result).toBe('Arr.');
  });

  it.each([
    [{ toolAliases: { A: 'B' } }, 'toolAliases'],
    [{ promptSuggestions: true }, 'promptSuggestions'],
    [{ somethingNew: 'x' }, 'somethingNew'],
    [{ hooks: { FileChanged: [{ hookCallbackIds: ['h'] }] } }, 'FileChanged'],
    [{ hooks: { PreToolUse: [{ hookCallbackIds: 'h' }] } }, 'hooks.PreToolUse'],
    [{ agents: { a: { description: 'd', prompt: 'p', observer: 'b' } } }, 'agents.a.observer'],
    [{ plugins: [{ type: 'local', path: '/x', skipMcpDiscovery: true }] }, 'skipMcpDiscovery'],
    [{ systemPrompt: 5 }, 'systemPrompt'],
  ])('CL-1: initialize with %j is refused, and no prompt is served', async (fields, named) => {
    const stage = await setPlainStage([{ reply: 'Served.' }]);
    const client = drive(stage);
    client.request('1', { ...INITIALIZE, ...fields });
    client.prompt('hello');
    expect((await client.answer('1')).error).toContain(named);
    expect(await client.end()).toBe(2);
    expect(client.stderr()).toMatch(new RegExp(`^error: initialize: .*${named.replaceAll('.', '\\.')}.*\n$`));
    expect(stage.sim.requests).toHaveLength(0);
    expect(client.ofType('result')).toEqual([]);
  });

  it('CL-1: a session that is open is not initialized as another: the run ends', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const client = drive(stage);
    client.prompt('hello');
    await client.until(/"type":"result"/);
    client.request('1', { ...INITIALIZE, hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } });
    expect((await client.answer('1')).error).toContain('already open');
    client.prompt('again');
    expect(await client.end()).toBe(2);
    expect(stage.sim.requests).toHaveLength(1);
  });

  it('SF-5: interrupt ends the work with its result; the next prompt is answered', async () => {
    const stage = await setPlainStage([
      { when: { user: 'again' }, reply: 'Here.' },
      { when: { user: 'talk' }, reply: 'Endless words. '.repeat(20), fault: { kind: 'silence', at: 5 } },
    ]);
    const client = drive(stage, ['--include-partial-messages']);
    client.prompt('talk');
    await client.until('text_delta');
    client.request('stop', { subtype: 'interrupt' });
    expect(await client.answer('stop')).toMatchObject({ subtype: 'success' });
    client.prompt('again');
    expect(await client.end()).toBe(0);
    expect(client.ofType('result').map((line) => [line.subtype, line.error])).toEqual([
      ['error_during_execution', 'interrupted'],
      ['success', undefined],
    ]);
  });

  it('SF-5: set_permission_mode and set_model apply from then on', async () => {
    const stage = await setPlainStage([
      { when: { result: { tool: 'Write' } }, reply: 'Written.' },
      { when: { user: /^go\b/m }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
    ]);
    const client = drive(stage);
    client.request('1', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
    expect(await client.answer('1')).toMatchObject({ subtype: 'success', response: { mode: 'acceptEdits' } });
    client.request('2', { subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    expect((await client.answer('2')).error).toContain('requested at the start');
    client.request('3', { subtype: 'set_permission_mode', mode: 'whatever' });
    expect(await client.answer('3')).toMatchObject({ subtype: 'error' });
    client.request('4', { subtype: 'set_model', model: 'haiku' });
    expect(await client.answer('4')).toMatchObject({ subtype: 'success', response: { model: 'claude-haiku-5-5' } });
    client.request('5', { subtype: 'set_model', model: 7 });
    expect(await client.answer('5')).toMatchObject({ subtype: 'error' });
    client.prompt('go');
    expect(await client.end()).toBe(0);
    expect(await stage.read('a.txt')).toBe('x');
    expect(stage.sim.requests.map((request) => request.body.model)).toEqual(['claude-haiku-5-5', 'claude-haiku-5-5']);
  });

  it('SF-1: wrong combinations of flags are a usage error', async () => {
    const stage = await setPlainStage([]);
    const wrong = [
      ['-p', '--input-format', 'stream-json'],
      [...ARGS, 'a prompt'],
      ['-p', 'x', '--permission-prompt-tool', 'stdio'],
      [...ARGS, '--permission-prompt-tool', 'mcp__x__y'],
    ];
    for (const args of wrong) {
      const program = stage.pipe(args);
      expect(await program.end(), args.join(' ')).toBe(2);
      expect(program.stderr()).toMatch(/^error: /);
    }
  });

  it('SF-3: no key: the first request hears it, and the program ends with 1', async () => {
    const stage = await setPlainStage([]);
    const program = stage.pipe(ARGS, { ANTHROPIC_API_KEY: '' });
    program.say(JSON.stringify({ type: 'control_request', request_id: '1', request: INITIALIZE }));
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('"subtype":"error"');
    expect(program.stderr()).toContain('coppice demo');
  });

  it('SF-5: a signal ends the session in order', async () => {
    const stage = await setPlainStage([{ reply: 'Endless words. '.repeat(20), fault: { kind: 'silence', at: 5 } }]);
    const client = drive(stage, ['--include-partial-messages']);
    client.prompt('talk');
    client.prompt('never begun');
    await client.until('text_delta');
    client.child.kill('SIGINT');
    expect(await client.ended).toBe(130);
    expect(client.ofType('result').map((line) => line.error)).toEqual(['interrupted']);
  });
});

describe('questions to a program', () => {
  it('GT-13: a client that did not say that it answers is not asked: denied with a reason, listed in the result', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage);
    client.prompt('go');
    expect(await client.end()).toBe(0);
    expect(client.ofType('control_request')).toEqual([]);
    const [result] = client.ofType('result');
    expect(result?.result).toContain('nobody can be asked');
    expect(result?.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_use_id: 'toolu_1' }]);
  });

  it('SF-5: can_use_tool shows who asks for what exactly; allow runs it', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    const { request_id, request } = await client.question();
    expect(request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'touch made' },
      tool_use_id: 'toolu_1',
      cwd: stage.folder,
      permission_suggestions: [
        { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'touch made' }], destination: 'session' },
        { type: 'addRules', destination: 'localSettings' },
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      ],
    });
    client.reply('unknown', { behavior: 'deny', message: 'for nobody' });
    client.reply(request_id, { behavior: 'allow', updatedInput: request.input });
    client.reply(request_id, { behavior: 'deny', message: 'too late' });
    await client.until('"result":"It worked."');
    expect(await client.end()).toBe(0);
    expect(await stage.read('made')).toBe('');
  });

  it('SF-5: deny gives the model the message; interrupt ends the run as well', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, [...ASKS, '--permission-prompt-tool', 'stdio']);
    client.prompt('go');
    client.reply((await client.question(1)).request_id, { behavior: 'deny', message: 'use make' });
    await client.until('It failed: Permission denied: the person said no: use make');
    client.prompt('go again');
    client.reply((await client.question(2)).request_id, { behavior: 'deny', message: 'stop it all', interrupt: true });
    await client.until(/"is_error":true/);
    await client.end();
    expect(stage.sim.requests).toHaveLength(3);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it('SF-5: a changed input is what runs', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    client.reply((await client.question()).request_id, {
      behavior: 'allow',
      updatedInput: { command: 'touch other' },
    });
    await client.until('"result":"It worked."');
    await client.end();
    expect(await stage.read('other')).toBe('');
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it('GT-11: the suggested rule, sent back, is not asked again; a wider one is not followed', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    const wider = { type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash' }], destination: 'session' };
    client.reply((await client.question(1)).request_id, { behavior: 'allow', updatedPermissions: [wider] });
    await client.until('a permission update was ignored');
    client.prompt('go again');
    const { request_id, request } = await client.question(2);
    const [suggested] = request.permission_suggestions as object[];
    client.reply(request_id, { behavior: 'allow', updatedPermissions: [suggested] });
    client.prompt('go once more');
    await client.until(/(?:"type":"result"[\s\S]*){3}/);
    await client.end();
    expect(client.ofType('control_request')).toHaveLength(2);
    expect(client.ofType('result').map((line) => line.result)).toEqual(['It worked.', 'It worked.', 'It worked.']);
  });

  it('GT-11: a prefix or all edits, sent back, apply from then on; a mode that was not offered is a request', async () => {
    const stage = await setPlainStage([
      { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
      { when: { result: { tool: 'Write' } }, reply: 'Written.' },
      { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'make test -s' } }] },
      { when: { user: 'more' }, reply: [{ tool: 'Bash', input: { command: 'make test' } }] },
      { when: { user: 'edit' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
    ]);
    await stage.write('Makefile', 'test:\n\techo tested\n');
    const client = drive(stage, [...ASKS, '--trust']);
    client.request('1', INITIALIZE);
    client.prompt('go');
    const { request_id, request } = await client.question(1);
    const suggested = request.permission_suggestions as { rules?: { ruleContent: string }[]; destination: string }[];
    expect(suggested.map(({ rules, destination }) => [rules?.[0]?.ruleContent, destination])).toEqual([
      ['make test -s', 'session'],
      ['make test -s', 'localSettings'],
      ['make test:*', 'session'],
      ['make test:*', 'localSettings'],
    ]);
    const wrong = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' };
    client.reply(request_id, { behavior: 'allow', updatedPermissions: [suggested[2], wrong] });
    await client.until('requested at the start');
    client.prompt('more');
    await client.until(/(?:"type":"result"[\s\S]*){2}/);
    client.prompt('edit');
    const second = await client.question(2);
    const mode = (second.request.permission_suggestions as { type: string }[]).filter(({ type }) => type === 'setMode');
    expect(mode).toEqual([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]);
    client.reply(second.request_id, { behavior: 'allow', updatedPermissions: mode });
    client.prompt('edit it again');
    await client.until(/(?:"type":"result"[\s\S]*){4}/);
    await client.end();
    expect(client.ofType('control_request')).toHaveLength(2);
  });

  it('SF-5: an answer that is none, or a failure of the client, is a no', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    client.reply((await client.question(1)).request_id, { behavior: 'perhaps' });
    await client.until("the client's answer was not understood");
    client.prompt('go again');
    const { request_id } = await client.question(2);
    client.send({ type: 'control_response', response: { subtype: 'error', request_id, error: 'dialog crashed' } });
    await client.until('the client failed: dialog crashed');
    await client.end();
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it('GT-11: a question is taken back when its run is interrupted, and a late answer changes nothing', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    const { request_id } = await client.question();
    client.request('stop', { subtype: 'interrupt' });
    await client.until('control_cancel_request');
    expect(client.ofType('control_cancel_request')).toEqual([{ type: 'control_cancel_request', request_id }]);
    client.reply(request_id, { behavior: 'allow' });
    expect(await client.end()).toBe(0);
    expect(client.ofType('result').map((line) => line.error)).toEqual(['interrupted']);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it('GT-13: an input that ends while a question waits is a no', async () => {
    const stage = await setPlainStage(TOUCH);
    const client = drive(stage, ASKS);
    client.request('1', INITIALIZE);
    client.prompt('go');
    await client.question();
    expect(await client.end()).toBe(0);
    expect(client.ofType('result')[0]?.result).toContain('nobody can answer');
  });
});
