/** `rewind_files` on the real program, by the id that the client gave its prompt. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setPlainStage } from '../plain/plain-stage.js';

const ARGS = [
  '-p',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--permission-mode',
  'acceptEdits',
];
const UUID = '0d6c5c1e-8f5a-4b53-9d54-5a1f6b0f7c11';

it('CL-3: rewind_files: tried first, then done, and an unknown id is reported', async () => {
  const stage = await setPlainStage([
    { when: { result: { tool: 'Write' } }, reply: 'written' },
    { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'new\n' } }] },
    { reply: 'ok' },
  ]);
  const program = stage.pipe(ARGS);
  const ask = async (request_id: string, fields: object) => {
    const request = { subtype: 'rewind_files', ...fields };
    program.say(JSON.stringify({ type: 'control_request', request_id, request }));
    await program.until(`"request_id":"${request_id}"`);
    const line = program
      .stdout()
      .split('\n')
      .find((one) => one.includes(`"request_id":"${request_id}"`));
    return (JSON.parse(line ?? '') as { response: { response: unknown } }).response.response;
  };
  program.say(JSON.stringify({ type: 'user', message: { role: 'user', content: 'write' }, uuid: UUID }));
  await program.until('"type":"result"');
  const changes = { canRewind: true, filesChanged: [join(stage.folder, 'a.txt')], insertions: 0, deletions: 1 };
  expect(await ask('dry', { user_message_id: UUID, dry_run: true })).toEqual(changes);
  expect(await stage.read('a.txt')).toBe('new\n');
  expect(await ask('do', { user_message_id: UUID })).toEqual(changes);
  expect(await readdir(stage.folder)).not.toContain('a.txt');
  expect(await ask('no', { user_message_id: 'nothing' })).toMatchObject({
    canRewind: false,
    error: expect.stringContaining('nothing'),
  });
  expect(await program.end()).toBe(0);
});
