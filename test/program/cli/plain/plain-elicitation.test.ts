/** A server's question at a real terminal: field by field, with ways out (MC-23). */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ElicitationRequest } from '../../../../src/protocol/mcp/elicitation.js';
import { bundle } from '../../../support/bundle.js';
import { setPlainStage } from './plain-stage.js';

async function put(request: ElicitationRequest) {
  const stage = await setPlainStage([]);
  const program = await bundle(new URL('./elicitation-program.ts', import.meta.url), stage.folder);
  // A browser that writes down what it opens.
  const bin = join(stage.home, 'bin');
  await mkdir(bin);
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$1" > '${stage.folder}/opened'\n`);
    await chmod(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:${process.env.PATH}`, NODE: process.execPath, DISPLAY: ':0' };
  const line = `exec "$NODE" '${program}' '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;
  return { ...stage, screen: stage.screen(['-c', line], env, '/bin/sh') };
}

const FORM: ElicitationRequest = {
  server: 'shop',
  message: 'Where to?\n? y',
  mode: 'form',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', description: 'on the parcel', minLength: 2 },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 's',
      },
      gifts: { type: 'array', items: { enum: ['pen', 'cup'] } },
      count: { type: 'integer', minimum: 1 },
      door_password: { type: 'string' },
      soon: { type: 'boolean' },
    },
    required: ['name', 'count'],
  },
};

it('MC-23: the fields are asked one by one, what is wrong is asked again, and all is shown before it is sent', async () => {
  const { screen } = await put(FORM);
  await screen.until(/c {2}cancel: neither yes nor no\n\? $/m);
  expect(screen.text()).toContain(
    [
      'The MCP server shop asks you',
      '  in the work of the main agent',
      '  | Where to?',
      '  | ? y',
      '  It wants to know:',
      '  | Your name (text, at least 2 characters, required): on the parcel',
      '  | size (one of 2)',
    ].join('\n'),
  );
  screen.type('what\r');
  await screen.until('That is not one of the choices.');
  screen.type('y\r');
  await screen.until(/^: $/m);
  screen.type('\r');
  await screen.until('It is required.');
  screen.type('A\r');
  await screen.until('Must be 2 characters or more.');
  screen.type('Ada\r');
  await screen.until('(Enter: Small)\n: ');
  screen.type('\r');
  await screen.until('(several: numbers with a comma between)\n  (Enter: nothing)\n: ');
  screen.type('2, pen\r');
  await screen.until(/^count \(whole number, at least 1, required\)\n: $/m);
  screen.type('0\r');
  await screen.until('Must be 1 or more.');
  screen.type('3\r');
  await screen.until(/^door_password \(text\)\n! This looks like a password or a key\./m);
  screen.type('\r');
  await screen.until(/^soon \(yes or no\)\n {2}\(Enter: nothing\)\n: $/m);
  screen.type('y\r');
  await screen.until(
    /This goes to shop:\n {2}Your name: Ada\n {2}size: Small\n {2}gifts: cup, pen\n {2}count: 3\n {2}door_password: \(nothing\)\n {2}soon: yes\n/,
  );
  screen.type('y\r');
  expect(await screen.ended).toBe(0);
  const content = { name: 'Ada', size: 's', gifts: ['cup', 'pen'], count: 3, soon: true };
  expect(screen.text()).toContain(`ANSWER ${JSON.stringify({ action: 'accept', content })}`);
});

it.each([
  ['n at the question', ['n\r'], 'decline'],
  ['c at the question', ['c\r'], 'cancel'],
  ['/decline in a field', ['y\r', '/decline\r'], 'decline'],
  ['/cancel in a field', ['y\r', '/cancel\r'], 'cancel'],
  ['Ctrl+C in a field', ['y\r', '\u0003'], 'cancel'],
])('MC-23: %s', async (_name, keys, action) => {
  const { screen } = await put(FORM);
  await screen.until(/^\? $/m);
  for (const [index, key] of keys.entries()) {
    if (index > 0) await screen.until(/^: $/m);
    screen.type(key);
  }
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toContain(`ANSWER {"action":"${action}"}`);
});

it('MC-23: nothing is sent that the person takes back after having seen it; it can be entered again', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const { screen } = await put({ server: 'shop', message: 'A?', mode: 'form', schema });
  await screen.until(/^\? $/m);
  screen.type('y\r');
  await screen.until(/^: $/m);
  screen.type('one\r');
  await screen.until(/a: one\n[\s\S]*^\? $/m);
  screen.type('e\r');
  await screen.until(/enter it again[\s\S]*^: $/m);
  screen.type('two\r');
  await screen.until(/a: two\n[\s\S]*^\? $/m);
  screen.type('n\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toContain('ANSWER {"action":"decline"}');
});

it('MC-23: a page is shown in full, with its host, and opened after the yes', async () => {
  const url = 'https://github.com@evil.example/sign-in?x=1';
  const { screen, read } = await put({ server: 'shop', message: 'Sign in', mode: 'url', url });
  await screen.until(/^\? $/m);
  expect(screen.text()).toContain(`  It wants this page opened, at evil.example:\n  | ${url}\n`);
  await expect(read('opened')).rejects.toThrow();
  screen.type('y\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toContain('ANSWER {"action":"accept"}');
  expect(await read('opened')).toBe(`${url}\n`);
});
