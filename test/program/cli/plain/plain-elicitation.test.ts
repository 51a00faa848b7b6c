/** A server's question at a real terminal: field by field, with ways out (MC-23). */

import { expect, it } from 'vitest';
import { FORM, put } from './plain-elicitation-stage.js';

it('MC-23: the fields are asked one by one, what is wrong is asked again, and all is shown before it is sent', async () => {
  const { screen } = await put(FORM);
  await screen.until(/c {2}cancel without an answer\n\? $/m);
  expect(screen.text()).toContain(
    [
      'The MCP server shop asks you',
      '  on behalf of the main agent',
      '  | Where to?',
      '  | ? y',
      '  It asks for:',
      '  | Your name (text, at least 2 characters, required): on the parcel',
      '  | size (one of 2)',
    ].join('\n'),
  );
  screen.type('what\r');
  await screen.until('That is not one of the choices.');
  screen.type('y\r');
  await screen.until(/^: $/m);
  screen.type('\r');
  await screen.until('Required.');
  screen.type('A\r');
  await screen.until('Must be 2 characters or more.');
  screen.type('Ada\r');
  await screen.until('(Enter: Small)\n: ');
  screen.type('\r');
  await screen.until('(several: separate numbers with commas)\n  (Enter: nothing)\n: ');
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
    /To be sent to shop:\n {2}Your name: Ada\n {2}size: Small\n {2}gifts: cup, pen\n {2}count: 3\n {2}door_password: \(nothing\)\n {2}soon: yes\n/,
  );
  screen.type('y\r');
  expect(await screen.ended).toBe(0);
  const content = { name: 'Ada', size: 's', gifts: ['cup', 'pen'], count: 3, soon: true };
  expect(screen.text()).toContain(`ANSWER ${JSON.stringify({ action: 'accept', content })}`);
});

it('MC-23: a page is shown in full, with its host, and opened after the yes', async () => {
  const url = 'https://github.com@evil.example/sign-in?x=1';
  const { screen, read } = await put({ server: 'shop', message: 'Sign in', mode: 'url', url });
  await screen.until(/^\? $/m);
  expect(screen.text()).toContain(`  It asks to open this page at evil.example:\n  | ${url}\n`);
  await expect(read('opened')).rejects.toThrow();
  screen.type('y\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toContain('ANSWER {"action":"accept"}');
  expect(await read('opened')).toBe(`${url}\n`);
});
