/** The order of the decision and what each mode makes of it (GT-4, GT-5, GT-9, GT-22). */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { couldMatchRule } from '../../../../src/gate/permissions/could-match-rule.js';
import { explain, judge } from '../../../../src/gate/permissions/judge.js';
import type { Action } from '../../../../src/protocol/action.js';
import { makePlayground, type Playground } from './playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('f.txt');
});
afterAll(() => place.remove());

describe('GT-5 modes', () => {
  const modes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
  const table: readonly (readonly [string, string, (at: Playground) => Action, readonly string[]])[] = [
    [
      'reading inside',
      'Read',
      (at) => ({ kind: 'read', path: join(at.root, 'f.txt') }),
      ['allow', 'allow', 'allow', 'allow', 'allow'],
    ],
    [
      'reading outside',
      'Read',
      (at) => ({ kind: 'read', path: join(at.outside, 'x') }),
      ['ask', 'ask', 'ask', 'deny', 'allow'],
    ],
    ['searching', 'Grep', (at) => ({ kind: 'search', path: at.root }), ['allow', 'allow', 'allow', 'allow', 'allow']],
    [
      'editing',
      'Edit',
      (at) => ({ kind: 'edit', path: join(at.root, 'f.txt') }),
      ['ask', 'allow', 'deny', 'deny', 'allow'],
    ],
    [
      'editing outside',
      'Edit',
      (at) => ({ kind: 'edit', path: join(at.outside, 'x') }),
      ['ask', 'ask', 'deny', 'deny', 'allow'],
    ],
    [
      'reading by command',
      'Bash',
      (at) => ({ kind: 'shell', command: 'cat f.txt', cwd: at.root }),
      ['allow', 'allow', 'allow', 'allow', 'allow'],
    ],
    [
      'reading outside by command',
      'Bash',
      (at) => ({ kind: 'shell', command: 'cat /etc/hosts', cwd: at.root }),
      ['ask', 'ask', 'ask', 'deny', 'allow'],
    ],
    [
      'making a folder',
      'Bash',
      (at) => ({ kind: 'shell', command: 'mkdir -p a/b', cwd: at.root }),
      ['ask', 'allow', 'deny', 'deny', 'allow'],
    ],
    [
      'writing by redirection',
      'Bash',
      (at) => ({ kind: 'shell', command: 'echo x > a.txt', cwd: at.root }),
      ['ask', 'allow', 'deny', 'deny', 'allow'],
    ],
    [
      'deleting',
      'Bash',
      (at) => ({ kind: 'shell', command: 'rm f.txt', cwd: at.root }),
      ['ask', 'allow', 'deny', 'deny', 'allow'],
    ],
    [
      'running',
      'Bash',
      (at) => ({ kind: 'shell', command: 'npm test', cwd: at.root }),
      ['ask', 'ask', 'deny', 'deny', 'allow'],
    ],
    [
      'computed',
      'Bash',
      (at) => ({ kind: 'shell', command: 'echo $X', cwd: at.root }),
      ['ask', 'ask', 'deny', 'deny', 'allow'],
    ],
    [
      'fetching',
      'WebFetch',
      () => ({ kind: 'fetch', url: 'https://example.com/' }),
      ['ask', 'ask', 'ask', 'deny', 'allow'],
    ],
    [
      'an MCP tool',
      'mcp__a__b',
      () => ({ kind: 'mcp', server: 'a', tool: 'b' }),
      ['ask', 'ask', 'ask', 'deny', 'allow'],
    ],
    ['a child', 'Agent', () => ({ kind: 'spawn', type: 'Explore' }), ['allow', 'allow', 'allow', 'allow', 'allow']],
    ['session state', 'TodoWrite', () => ({ kind: 'session' }), ['allow', 'allow', 'allow', 'allow', 'allow']],
    [
      'a tool that reads',
      'Mine',
      () => ({ kind: 'custom', readOnly: true }),
      ['allow', 'allow', 'allow', 'allow', 'allow'],
    ],
    [
      'a tool that changes',
      'Mine',
      () => ({ kind: 'custom', readOnly: false }),
      ['ask', 'ask', 'deny', 'deny', 'allow'],
    ],
  ];
  it.each(table)('GT-5: %s', async (_name, tool, action, expected) => {
    for (const [index, mode] of modes.entries())
      expect((await place.act(tool, action(place), { mode })).behavior, mode).toBe(expected[index]);
  });

  it('GT-5: bubble, unresolved, is as careful as default', async () => {
    expect((await place.bash('npm test', { mode: 'bubble' })).behavior).toBe('ask');
  });

  it('AG-8: a read-only agent changes nothing whatever the mode and the rules', async () => {
    const changes = { readOnlyOnly: true, mode: 'bypassPermissions', allow: ['Bash', 'Edit', 'Mine'] } as const;
    expect((await place.act('Edit', { kind: 'edit', path: join(place.root, 'f.txt') }, changes)).behavior).toBe('deny');
    expect((await place.act('Mine', { kind: 'custom', readOnly: false }, changes)).behavior).toBe('deny');
    for (const command of ['touch x', 'echo x > f.txt', 'npm test', 'sed -i s/a/b/ f.txt'])
      expect((await place.bash(command, changes)).behavior, command).toBe('deny');
    expect((await place.bash('echo x > f.txt', { readOnlyOnly: true, mode: 'acceptEdits' })).behavior).toBe('deny');
    expect((await place.bash('git log --oneline | head', changes)).behavior).toBe('allow');
  });
});

describe('GT-4 GT-21 the decision', () => {
  it('GT-4: of several actions the strictest applies; none at all asks', async () => {
    const call = { tool: 'Both', input: {}, cwd: place.root };
    const read = { kind: 'read', path: join(place.root, 'f.txt') } as const;
    const edit = { kind: 'edit', path: join(place.root, 'f.txt') } as const;
    expect((await judge({ ...call, actions: [read, edit] }, place.policy())).behavior).toBe('ask');
    expect((await judge({ ...call, actions: [] }, place.policy())).behavior).toBe('ask');
    expect((await judge({ ...call, actions: [] }, place.policy({ mode: 'dontAsk' }))).behavior).toBe('deny');
  });

  it('GT-21: the explanation tells what was decided about each part', async () => {
    const call = {
      tool: 'Bash',
      input: {},
      cwd: place.root,
      actions: [{ kind: 'shell', command: 'npm test', cwd: place.root } as const],
    };
    const { decision, parts } = await explain(call, place.policy());
    expect(parts.map((part) => part.decision)).toEqual([decision]);
    expect(decision).toMatchObject({ by: 'check command', reason: expect.stringContaining('npm') });
  });

  it('GT-4: readable folders next to the roots are read, never written', async () => {
    const readRoots = [place.outside];
    const path = join(place.outside, 'kept.txt');
    expect((await place.act('Read', { kind: 'read', path }, { readRoots })).behavior).toBe('allow');
    expect((await place.act('Write', { kind: 'edit', path }, { readRoots, mode: 'acceptEdits' })).behavior).toBe('ask');
    expect((await place.bash(`cat ${path}`, { readRoots })).behavior).toBe('allow');
  });

  it('GT-4: allow rules for paths apply where the path leads, not how it is written', async () => {
    const at = (path: string, allow: string) =>
      place.act('Edit', { kind: 'edit', path: join(place.root, path) }, { allow: [allow] });
    expect((await at('docs/a.md', 'Edit(docs/**)')).behavior).toBe('allow');
    expect((await at('docs/../src/a.ts', 'Edit(docs/**)')).behavior).toBe('ask');
    expect((await at('DOCS/a.md', 'Edit(docs/**)')).behavior).toBe('ask');
    expect((await place.bash('echo x > docs/a.md', { allow: ['Edit(docs/**)'] })).behavior).toBe('allow');
    expect((await place.bash('echo x > src/a.ts', { allow: ['Edit(docs/**)'] })).behavior).toBe('ask');
    expect((await place.bash('cat /etc/hosts', { allow: ['Read(//etc/hosts)'] })).behavior).toBe('allow');
  });
});

describe('GT-15 rules as conditions of hooks', () => {
  const at = { cwd: '/w', home: '/home/u' };
  it.each([
    ['Bash(git push:*)', 'Bash', { command: 'cd x && git push' }, true],
    ['Bash(git push:*)', 'Bash', { command: 'git status' }, false],
    ['Bash(git push:*)', 'Bash', { command: '$X' }, true],
    ['Edit(src/**)', 'Write', { file_path: '/w/src/a' }, true],
    ['Edit(src/**)', 'Write', { file_path: '/w/test/a' }, false],
    ['Edit(src/**)', 'Read', { file_path: '/w/src/a' }, false],
    ['mcp__a', 'mcp__a__b', {}, true],
    ['mcp__a', 'mcp__ab__b', {}, false],
    ['Task(x)', 'Agent', { subagent_type: 'x' }, true],
    ['not a rule (', 'Bash', {}, true],
  ])('GT-15: %s on %s %j: %s', (rule, tool, input, expected) => {
    expect(couldMatchRule(rule, tool, input, at)).toBe(expected);
  });
});
