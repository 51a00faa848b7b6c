/** GT-4: deny, then ask, then allow, whatever kind of action a rule is about. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Action } from '../../../../../src/protocol/action.js';
import { makePlayground, type Playground } from '../playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
});
afterAll(() => place.remove());

it.each<readonly [tool: string, rule: string, action: (at: Playground) => Action]>([
  ['Bash', 'Bash(make)', ({ root }) => ({ kind: 'shell', command: 'make', cwd: root })],
  ['Read', 'Read(//**)', ({ outside }) => ({ kind: 'read', path: join(outside, 'a') })],
  ['Grep', 'Read(//**)', ({ outside }) => ({ kind: 'search', path: outside })],
  ['Write', 'Edit(src/**)', ({ root }) => ({ kind: 'edit', path: join(root, 'src/a.ts') })],
  ['Edit', 'Edit', ({ root }) => ({ kind: 'edit', path: join(root, 'a.ts') })],
  ['WebFetch', 'WebFetch(domain:example.com)', () => ({ kind: 'fetch', url: 'https://example.com/' })],
  ['WebSearch', 'WebSearch', () => ({ kind: 'web-search', query: 'x' })],
  ['Agent', 'Agent(Explore)', () => ({ kind: 'spawn', type: 'Explore', gains: ['Bash'] })],
  ['mcp__a__b', 'mcp__a', () => ({ kind: 'mcp', server: 'a', tool: 'b' })],
  ['mcp__a__b', 'mcp__a__b', () => ({ kind: 'mcp', server: 'a', tool: 'b' })],
  ['Skill', 'Skill(x)', () => ({ kind: 'skill', name: 'x' })],
  ['Mine', 'Mine', () => ({ kind: 'custom', readOnly: false })],
])('GT-4: %s: %s denied, asked about and allowed is denied; asked about and allowed is asked', (tool, rule, action) => {
  const decide = (...behaviors: readonly ('allow' | 'ask' | 'deny')[]) =>
    place.act(tool, action(place), Object.fromEntries(behaviors.map((one) => [one, [rule]]))).behavior;
  expect(decide('allow', 'ask', 'deny')).toBe('deny');
  expect(decide('allow', 'deny')).toBe('deny');
  expect(decide('allow', 'ask')).toBe('ask');
  expect(decide('allow')).toBe('allow');
});
