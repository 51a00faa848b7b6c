/** SF-12: the file of a recording: small, each line whole, and nothing in it that is not to be. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSecrets, isSecretName, secretsIn } from '../../../../src/sim/recording/find-secrets.js';
import { PLACEHOLDERS } from '../../../../src/sim/recording/placeholders.js';
import { parseRecording } from '../../../../src/sim/recording/recording.js';
import { TrafficRecorder } from '../../../../src/sim/recording/traffic-recorder.js';

const LONG = 'a long text '.repeat(100);
const message = (role: string, text: string, isLast: boolean) => ({
  role,
  content: [{ type: 'text', text, ...(isLast ? { cache_control: { type: 'ephemeral' } } : {}) }],
});
const bodyOf = (count: number) => ({
  model: 'm',
  metadata: { user_id: 'somebody' },
  tools: [{ name: 'Bash', description: LONG }],
  system: [{ type: 'text', text: `${LONG} too` }],
  messages: Array.from({ length: count }, (_, index) =>
    message(index % 2 ? 'assistant' : 'user', `${index} ${LONG}`, index === count - 1),
  ),
});

async function recordBodies(bodies: readonly object[], headers: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  const recorder = new TrafficRecorder({ write: (line) => void lines.push(line) });
  for (const body of bodies) {
    const sent = { method: 'POST', path: '/v1/messages', headers, body: Buffer.from(JSON.stringify(body)) };
    await recorder.begin(sent)({ status: 200, headers: { 'set-cookie': 'c=1', 'request-id': 'r' }, body: '{}' });
  }
  await recorder.close();
  return lines;
}

describe('SF-12: the file of a recording', () => {
  it('SF-12: one from elsewhere may begin with a byte order mark, and is refused where it is nested without end', async () => {
    const text = (await recordBodies([bodyOf(1)])).join('');
    expect(parseRecording(`\uFEFF${text}`, 'f')).toMatchObject({ ok: true, exchanges: { length: 1 } });
    const deep = `${text}{"part":9,"value":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`;
    expect(parseRecording(deep, 'f')).toMatchObject({
      ok: false,
      mistake: expect.stringMatching(/^f:\d+: nested too deep/),
    });
    const words = JSON.stringify({ part: 9, value: '[{"\\'.repeat(1_000) });
    expect(parseRecording(`${text}${words}\n`, 'f')).toMatchObject({ ok: true });
  });

  it('SF-12: common parts of requests are stored once, and restored completely', async () => {
    const bodies = [1, 3, 5, 7, 9].map(bodyOf);
    const lines = await recordBodies(bodies, { 'x-api-key': 'the-key-of-it', 'user-agent': 'me' });
    const text = lines.join('');
    expect(text.length).toBeLessThan(JSON.stringify(bodies.at(-1)).length * 1.3);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
    for (const gone of ['the-key-of-it', 'user-agent', 'set-cookie', 'user_id']) expect(text).not.toContain(gone);
    const parsed = parseRecording(text, 'f');
    expect(parsed).toMatchObject({ ok: true, warnings: [] });
    const { metadata: _, ...last } = bodies.at(-1) ?? bodyOf(0);
    expect(parsed.ok && parsed.exchanges.at(-1)?.request.body).toEqual(last);
  });

  it('SF-12: a torn last line is left out; damage elsewhere, and a part that is gone, are named with their line', async () => {
    const lines = await recordBodies([bodyOf(1)]);
    const text = lines.join('');
    expect(parseRecording(text.slice(0, -20), 'f')).toMatchObject({
      ok: true,
      exchanges: [],
      warnings: [/f:5: the last/],
    });
    expect(parseRecording(`${text}{"x`, 'f')).toMatchObject({ ok: true, exchanges: { length: 1 } });
    expect(parseRecording(text.replace('"part":1', '"part":"x"'), 'f')).toMatchObject({ mistake: /^f:2: part: / });
    const without = [lines[0], ...lines.slice(2)].join('');
    expect(parseRecording(without, 'f')).toMatchObject({
      mistake: 'f:4: part 1 is missing: a line before this one was removed',
    });
  });

  it('SF-12: the list of placeholders in the documentation is the table', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/sim.md'), 'utf8');
    const rows = PLACEHOLDERS.map(
      ({ name, standsFor, found, matches }) => `| \`${name}\` | ${standsFor} | ${found} | ${matches} |`,
    );
    expect(page).toContain(rows.join('\n'));
  });
});

describe('SF-12: secrets', () => {
  it.each([
    'API_KEY',
    'MY_TOKEN',
    'clientSecret',
    'apiKey',
    'DB_PASSWORD',
    'PGPASSWORD',
    'aws_secret_access_key',
    'SSH_KEY',
    'PASS',
  ])('SF-12: the name %s indicates a secret', (name) => expect(isSecretName(name)).toBe(true));
  it.each([
    'max_tokens',
    'PATH',
    'KEYBOARD',
    'SSH_AUTH_SOCK',
    'monkey',
    'key',
    'SSH_KEY_PATH',
    'TOKEN_URL',
    'passenger',
  ])('SF-12: the name %s does not', (name) => expect(isSecretName(name)).toBe(false));

  it('SF-12: short values and other variables are none', () => {
    expect(secretsIn({ A_TOKEN: 'short', B_TOKEN: ' long-enough ', HOME: '/home/ann', C_TOKEN: undefined })).toEqual([
      'long-enough',
    ]);
  });

  it.each([
    ['export API_KEY=abcdefgh1', ['abcdefgh1']],
    ['{\\"password\\": \\"hunter2hunter\\"}', ['hunter2hunter']],
    ['password: hunter2hunter', ['hunter2hunter']],
    ['PASSWORD="correct horse battery"', ['correct horse battery']],
    ['{"auth": "dXNlcjpwYXNz"}', ['dXNlcjpwYXNz']],
    ['> Cookie: sid=abcdef; x=1\n> Accept: y', ['sid=abcdef; x=1']],
    ['author: someone12', []],
    ['const token = readToken(input)', []],
    ['const token = process.env.TOKEN_1', []],
    ['KEY=$OTHER_KEY_1', []],
    ['https://me:abc@host/x', ['abc']],
    ['https://host:8080/a@b', []],
    ['https://0123456789abcdef0123@host/x', ['0123456789abcdef0123']],
    ['GET /blob?sv=1&sig=abc%2Fdefghijklmn&x=1', ['abc%2Fdefghijklmn']],
    ['task-0123456789abcdefghij', []],
    ['Bearer abcdefgh.ijkl', ['abcdefgh.ijkl']],
  ])('SF-12: in %s', (text, found) => {
    expect(findSecrets(text, []).map(({ start, end }) => text.slice(start, end))).toEqual(found);
  });
});
