/** A server's question at a real terminal: field by field, with ways out (MC-23). */

import { expect, it } from 'vitest';
import { FORM, put } from '../../../program/cli/plain/plain-elicitation-stage.js';

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

it('MC-23: nothing is sent that the user takes back after having seen it; it can be entered again', async () => {
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
