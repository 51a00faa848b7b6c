/** SF-12: which parts of a text are treated as secrets. */

import { expect, it } from 'vitest';
import { Templater } from '../../../../src/sim/recording/templater.js';
import { Bindings, Trial, unifyText } from '../../../../src/sim/recording/unify.js';

/** Put together here, so that none of them is literally in this file. */
const part = (...pieces: string[]) => pieces.join('');

const LONG = 'OfAGatewayWithoutAnyShape'.repeat(5);

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n');

const numbered = (text: string) => text.replace(/^/gm, () => '     1\t');

const PASSWORD = 'Sup3rS3cret99';

const HOLE = (name: string) => `$\{${name}}`;

it.each([
  ['base64 in lines', base64(`so ${LONG} it is`), base64(LONG).slice(90, 120)],
  ['base64 in lines with numbers', numbered(base64(LONG)), base64(LONG).slice(80, 120)],
  ['hexadecimal in capitals', Buffer.from(LONG).toString('hex').toUpperCase(), '4F664147'],
  ['a container in YAML', `- name: DB_PASSWORD\n  value: ${PASSWORD}\n`, PASSWORD],
  ['a container in JSON', `{"name":"DB_PASSWORD","value":"${PASSWORD}"}`, PASSWORD],
  ['netrc', `machine a.b login me password ${PASSWORD}`, PASSWORD],
  ['an option', `deploy --password ${PASSWORD}`, PASSWORD],
  ['curl -u', `curl -u me:${PASSWORD} https://a.b`, PASSWORD],
  ['a word in YAML', 'db:\n  password: supersecretword\n', 'supersecretword'],
  ['a word of a variable', 'POSTGRES_PASSWORD: supersecretword\n', 'supersecretword'],
  ['a short one', 'DB_PASSWORD=hunter2\n', 'hunter2'],
  ['signs in a variable', 'DB_PASSWORD=ab(c,d;e{fgh12345}', 'fgh12345'],
  ['a quote in quotes', `password = "it's-a-Secret-99x"`, 'Secret-99x'],
  ['an escaped quote', '{"password": "ab\\"cdefghi-REST12345"}', 'REST12345'],
  ['XML', `<password>${PASSWORD}</password>`, PASSWORD],
  ['a cookie in JSON', '"set-cookie": "sid=abcdef0123456789; Path=/"', 'abcdef0123456789'],
  ['a header without digits', '> x-api-key: abcdefghijklmnop', 'abcdefghijklmnop'],
  ['another scheme', 'Authorization: token abcdefgh12345678', 'abcdefgh12345678'],
  ['Slack', part('https://hooks.slack', '.com/services/T0/B0/', 'XXXXYYYYZZZZ'), 'XXXXYYYYZZZZ'],
  ['Hugging Face', part('hf', '_abcdefghijklmnopqrstuvwxyzABCDEFGH'), 'abcdefghijklmnop'],
  ['SendGrid', part('SG', '.abcdefghijklmnop', '.qrstuvwxyz0123456789ABCDEFGH'), 'qrstuvwxyz'],
  ['Google', part('ya', '29.a0AfH6SMBxyzabcdefghijklmnopqrst'), 'a0AfH6SMB'],
  ['PGP', part('-----BEGIN PGP ', 'PRIVATE KEY BLOCK-----\nlQOYBG', '\n-----END PGP PRIVATE KEY BLOCK-----'), 'lQOYBG'],
])('SF-12: a secret is found: %s', (_, text, secret) => {
  const made = new Templater({}, [LONG]).ofText(text);
  expect(text).toContain(secret);
  expect(made).not.toContain(secret);
});

it.each([
  "{ primaryKey: 'customer_id', foreignKey: 'order_id' }",
  `const cacheKey = \`user:${HOLE('id')}:profile\`;`,
  "const tokenType = 'identifier';",
  '"tokenizer": "wordpiece"',
  `const url = \`a?token=${HOLE('token')}\`; const apiKey = \`prefix-${HOLE('id')}\`;`,
  'It uses Basic authentication; the jwt-bearer exchange; a Bearer credential.',
  'readonly token: TokenKind;\n  readonly password: PasswordField;',
  'docker run -u 1000:1000 image; coppice --max-tokens 12345678',
  'DEBUG_TOKEN=true',
])('SF-12: ordinary code is not taken for a secret: %s', (text) => {
  expect(new Templater({}, []).ofText(text)).toBe(text);
});

it('SF-12: nor is a field of a call', () => {
  const input = { sortKey: 'created_at', tokenType: 'identifier', nested: { queryKey: 'user-list' } };
  expect(new Templater({}, []).ofReplyValue(input, new Set())).toEqual(input);
  expect(new Templater({}, []).ofReplyValue({ api_key: `${PASSWORD}\n` }, new Set())).not.toEqual({
    api_key: `${PASSWORD}\n`,
  });
});

it('SF-12: a line that was added after a secret is noticed; a key of several lines may have more of them', () => {
  const fits = (recorded: string, now: string) =>
    unifyText(new Templater({}, []).ofText(recorded), now, new Trial(new Bindings()));
  expect(fits('API_KEY=abcdefgh12', 'API_KEY=other-one-3')).toBe(true);
  expect(fits('API_KEY=abcdefgh12', 'API_KEY=other-one-3\nMORE=1')).toBe(false);
  expect(fits('API_KEY=abcdefgh12\nB=2', 'API_KEY=other-one-3\nMORE=1\nB=2')).toBe(false);
  const pem = (body: string) => part('-----BEGIN ', `PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\nB=2`);
  expect(fits(pem('abc'), pem('abc\ndef'))).toBe(true);
});
