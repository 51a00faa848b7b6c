/** SF-12: no key, token or password is ever in a recording, wherever it came from; and the replay does not need them. */

import { readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { expectWhole, folderIn, record, replay, setMachine, startModel } from './replay-stage.js';

/** Put together here, so that none of them stands in this file as it is. */
const part = (...pieces: string[]) => pieces.join('');
const SHAPES = {
  anthropic: part('sk-', 'ant-api03-', 'Zk3vQ8mN2xR7tY5wB1cD4fG6hJ9kL0pS'),
  openai: part('sk-', 'proj-', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'),
  github: part('gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'),
  fine: part('github', '_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuvwx'),
  gitlab: part('gl', 'pat-', 'xYz123_-AbCdEfGh4567'),
  slack: part('xox', 'b-', '123456789012-abcdefABCDEF'),
  aws: part('AK', 'IA', 'IOSFODNN7EXAMPLE'),
  google: part('AI', 'za', 'SyA1234567890abcdefghijklmnopqrstuv'),
  npm: part('np', 'm_', 'abcdefghijklmnopqrstuvwxyz0123456789'),
  jwt: part('ey', 'JhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0', '.dBjftJeZ4CVPmB92K27uhb'),
};
const PEM_BODY = part('MIIEvQIBADANBgkqhkiG9w0', 'BAQEFAASCBKcwggSjAgEAAoIBAQ');
const PEM = part('-----BEGIN ', 'RSA PRIVATE KEY-----\n', PEM_BODY, '\n-----END RSA PRIVATE KEY-----');
const PASSWORD = 'correct-horse-battery';
const URL_PASSWORD = 'p4ssw0rdInAnAddress';
const OWN = 'env-value-only-known-by-its-name';
const QUOTED = 'with "quotes" and \\slashes\\ 12';
const FIELD = 'valueOfAFieldInAToolInput';
const API_KEY = 'a-key-of-this-test';

const PLANTED = [
  ...Object.values(SHAPES),
  PEM_BODY,
  PASSWORD,
  URL_PASSWORD,
  OWN,
  FIELD,
  API_KEY,
  JSON.stringify(QUOTED).slice(1, -1),
  Buffer.from(API_KEY).toString('base64').slice(0, -3),
  Buffer.from(`me:${API_KEY}`).toString('base64').slice(6, -3),
  Buffer.from(OWN).toString('hex'),
];

const FILE = `${Object.entries(SHAPES)
  .map(([name, value]) => `${name} ${value}`)
  .join('\n')}
${PEM}
DB_PASSWORD=${PASSWORD}
{"clientSecret": "${PASSWORD}"}
postgres://me:${URL_PASSWORD}@db/x
Authorization: Bearer ${PASSWORD}
plain ${OWN} and ${QUOTED} and ${API_KEY}
${Buffer.from(API_KEY).toString('base64')} ${Buffer.from(`me:${API_KEY}`).toString('base64')}
${Buffer.from(OWN).toString('hex')}
`;

it('SF-12: secrets of every shape, in the environment, files, output, replies and their pieces, are not in the file', async () => {
  const secretEnv = { MY_SERVICE_TOKEN: OWN, ODD_SECRET: QUOTED };
  const sim = await startModel(
    [
      {
        when: { nth: 1 },
        reply: ({ body }) => [
          { tool: 'Read', input: { file_path: `${folderIn(body)}/.env` } },
          { tool: 'Bash', input: { command: 'cat .env; echo; printenv MY_SERVICE_TOKEN' } },
        ],
      },
      {
        when: { nth: 2 },
        reply: ({ body }) => [
          `I saw ${SHAPES.anthropic} and ${OWN}, ${QUOTED}.`,
          {
            tool: 'Edit',
            input: { file_path: `${folderIn(body)}/.env`, old_string: `DB_PASSWORD=${PASSWORD}`, new_string: 'DB=1' },
          },
          { tool: 'Bash', input: { command: `echo ${SHAPES.github} >> .env`, token: FIELD } },
        ],
      },
      { when: { nth: 3 }, reply: [{ tool: 'Bash', input: { command: `test -n "${API_KEY}"` } }] },
      { reply: `The end: ${SHAPES.jwt}` },
    ],
    { chunk: { seed: 5, least: 1, most: 9 } },
  );
  const here = await setMachine({ env: secretEnv });
  await here.write('.env', FILE);
  const words = `Go with ${SHAPES.slack}.`;
  const file = await record(here, sim, (session) => session.send(words), {
    env: { ...secretEnv, ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: API_KEY },
  });
  expect(sim.requests, sim.report()).toHaveLength(4);
  const text = await readFile(file, 'utf8');
  for (const secret of PLANTED) {
    expect(text, secret).not.toContain(secret);
    expect(text, secret).not.toContain(JSON.stringify(secret).slice(1, -1));
  }
  expect(text).not.toMatch(/x-api-key|authorization"/i);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  // Elsewhere the secrets are others: they match, and what the model did with them is done with those.
  const there = await setMachine({ project: 'two', env: { MY_SERVICE_TOKEN: 'another-one-of-its-own' } });
  const otherFile = FILE.replaceAll(PASSWORD, 'something-else-99').replaceAll(OWN, 'another-one-of-its-own');
  await there.write('.env', otherFile);
  const status = await replay(there, file, (session) => session.send(words));
  expectWhole(status);
  expect(await there.read('.env')).toContain('\nDB=1\n');
});
