/** CL-8: a client that lies: an error line or an error for an answer, and the session lives. */

import { describe, expect, it } from 'vitest';
import { ASKS, start } from './lying-client-stage.js';

describe('answers', () => {
  it('CL-8: to nobody, late or twice: each is an error line, and none is accepted', async () => {
    const { stage, client } = await start(ASKS);
    client.request('1', { subtype: 'initialize' });
    client.reply('nobody', { behavior: 'allow' });
    client.fail('nobody', 'x');
    client.reply('x'.repeat(5_000), {});
    client.prompt('go');
    const { request_id: id } = await client.asked('can_use_tool');
    client.reply(id, { behavior: 'deny', message: 'no' });
    client.reply(id, { behavior: 'allow' });
    await client.until('"type":"result"');
    client.prompt('go');
    const second = await client.asked('can_use_tool', 2);
    client.request('stop', { subtype: 'interrupt' });
    await client.until('control_cancel_request');
    client.reply(second.request_id, { behavior: 'allow' });
    client.prompt('hello');
    expect(await client.end()).toBe(0);
    const errors = client.errors();
    expect(errors).toHaveLength(5);
    expect(errors[0]).toBe('input line 2: nobody waits for the answer to request nobody (ignored)');
    expect(Math.max(...errors.map((one) => one.length))).toBeLessThan(200);
    expect(errors[3]).toContain(id);
    expect(errors[4]).toContain(second.request_id);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(client.results().at(-1)).toBe('Here.');
  });
});

it('GT-11: a mode that was not offered is not taken for the one that was', async () => {
  const write = { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } };
  const { client } = await start(ASKS, [{ when: { result: {} }, reply: 'Done.' }, { reply: [write] }]);
  client.request('1', { subtype: 'initialize' });
  client.prompt('go');
  const { request_id: id, request } = await client.asked('can_use_tool');
  expect(request.permission_suggestions).toContainEqual(expect.objectContaining({ mode: 'acceptEdits' }));
  const modes = [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }];
  client.reply(id, { behavior: 'allow', updatedPermissions: modes });
  await client.until('"type":"result"');
  client.request('2', { subtype: 'get_status' });
  expect(JSON.stringify(await client.answer('2'))).toContain('"label":"Permission mode","value":"default"');
  expect(await client.end()).toBe(0);
});

it('GT-11: a rule to deny, built from the suggested one, is never taken for one that allows', async () => {
  const { client } = await start(ASKS);
  client.request('1', { subtype: 'initialize' });
  client.prompt('go');
  const { request_id: id, request } = await client.asked('can_use_tool');
  const [rule] = request.permission_suggestions as readonly object[];
  client.reply(id, { behavior: 'allow', updatedPermissions: [{ ...rule, behavior: 'deny' }] });
  await client.until('"type":"result"');
  client.prompt('go');
  client.reply((await client.asked('can_use_tool', 2)).request_id, { behavior: 'deny', message: 'no' });
  expect(await client.end()).toBe(0);
  expect(client.stdout()).toContain('only a suggested rule can be added');
});

describe('lines', () => {
  it('CL-8: what is not UTF-8, not JSON, or too long is an error line; CRLF is a line end', async () => {
    const { stage, client } = await start();
    const raw = (bytes: Uint8Array | string) => void client.child.stdin.write(bytes);
    const user = (text: string) => JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
    client.prompt('first');
    raw(`\ufeff${user('with a BOM')}\n`);
    raw(Buffer.concat([Buffer.from(user('bad ').slice(0, -3)), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}}\n')]));
    raw('\0\0\0\n');
    raw(`${user('a NUL \0 inside')}\n`);
    raw('{"type":"user","message":{"role":"user","content":"a raw \0 NUL"}}\n');
    raw(`${user('lines end with CR')}\r\n`);
    raw('\r\n');
    raw(`{"type":"user","x":"${'y'.repeat(100 * 1024 * 1024)}"}\n`);
    const full = (length: number) => {
      const request = { subtype: 'get_binary_version', x: '' };
      const line = JSON.stringify({ type: 'control_request', request_id: 'full', request });
      return `${line.replace('""', `"${'z'.repeat(length - line.length)}"`)}\n`;
    };
    raw(full(64 * 1024 * 1024));
    raw(full(64 * 1024 * 1024 + 1));
    client.prompt('last');
    raw('{"type":"user","mess');
    expect(await client.end()).toBe(0);
    expect(client.errors().map((line) => line.replace(/^invalid input line (\d+): /, '$1 '))).toEqual([
      '2 it is not JSON',
      '3 it is not UTF-8',
      '4 it is not JSON',
      '6 it is not JSON',
      `9 it has ${100 * 1024 * 1024 + 22} bytes, which is too long`,
      `11 it has ${64 * 1024 * 1024 + 1} bytes, which is too long`,
      '13 it is not JSON',
    ]);
    expect(client.ofType('control_response')).toMatchObject([{ response: { request_id: 'full', subtype: 'success' } }]);
    expect(client.results()).toEqual(['Here.', 'Here.', 'Here.', 'Here.']);
    expect(stage.sim.requests).toHaveLength(4);
  });
});

describe('requests', () => {
  it('CL-8: while the session opens, with an id twice, in storms: each is answered', async () => {
    const { client } = await start(
      ['--include-partial-messages'],
      [
        { when: { user: 'talk' }, reply: 'Endless words. '.repeat(20), fault: { kind: 'silence', at: 5 } },
        { reply: 'Here.' },
      ],
    );
    client.request('i', { subtype: 'initialize' });
    client.request('i', { subtype: 'initialize' });
    for (const subtype of [
      'interrupt',
      'mcp_status',
      'set_model',
      'get_settings',
      '__proto__',
      'constructor',
      'toString',
    ])
      client.request(subtype, { subtype });
    client.request('mode', { subtype: 'set_permission_mode', mode: 'plan' });
    for (let nth = 0; nth < 200; nth += 1) client.request('storm', { subtype: 'interrupt' });
    client.prompt('talk');
    await client.until('text_delta');
    for (let nth = 0; nth < 200; nth += 1) client.request('storm2', { subtype: 'interrupt' });
    client.request('model', { subtype: 'set_model', model: 'haiku' });
    client.request('mode2', { subtype: 'set_permission_mode', mode: 'default' });
    client.prompt('hello');
    await client.answer('mode2');
    expect(await client.end()).toBe(0);
    const answers = client.ofType('control_response').map(({ response }) => response as Record<string, unknown>);
    const count = (id: string) => answers.filter(({ request_id }) => request_id === id).length;
    expect(['i', 'storm', 'storm2', 'toString', 'mode', 'model'].map(count)).toEqual([2, 200, 200, 1, 1, 1]);
    for (const { request_id, subtype } of answers)
      expect(subtype, String(request_id)).toBe(
        ['__proto__', 'constructor', 'toString'].includes(String(request_id)) ? 'error' : 'success',
      );
    expect(client.results().at(-1)).toBe('Here.');
  });
});
