/** Plan mode as the gate judges it: what may never be asked about, the file of the plan, who ends it (EX-4, EX-15). */

import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlayground, type Playground, type PolicyChanges } from '../permissions/playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('f.txt');
});
afterAll(() => place.remove());

const BOX = { deniedInGit: false, gitIsWhole: true };
const ways: readonly (readonly [string, PolicyChanges])[] = [
  ['plan mode', { mode: 'plan' }],
  ['plan mode with a box', { mode: 'plan', box: BOX }],
  ['an agent that only reads', { readOnlyOnly: true, mode: 'bypassPermissions' }],
];

describe.each(ways)('EX-4: in %s', (_, changes) => {
  it('EX-4: a line in which something changes is denied, whatever else in it would be asked about', () => {
    const lines = [
      'touch x',
      'cat /etc/hosts; touch x',
      'cat /etc/hosts && cat /etc/passwd && touch x',
      'cat /etc/hosts | tee x',
      'cat /etc/hosts > x',
      'touch x; cat /etc/hosts',
    ];
    for (const line of lines) {
      for (const rule of [{}, { allow: ['Bash'] }, { ask: ['Bash'] }]) {
        expect([line, place.bash(line, { ...changes, ...rule }).behavior]).toEqual([line, 'deny']);
      }
    }
    expect(place.bash('cat /etc/hosts; cat /etc/passwd', changes).behavior).toBe('ask');
  });

  it('EX-4: so is one whose shell is outside the folders', () => {
    expect(place.bash('touch x', { ...changes, cwd: place.outside }).behavior).toBe('deny');
    expect(place.bash('cat x', { ...changes, cwd: place.outside }).behavior).toBe('ask');
  });

  it('EX-4: what only the box makes harmless is not asked about: with a yes it would run outside', () => {
    const line = `awk 'BEGIN { system("rm x") }'`;
    expect(place.bash(line, { ...changes, deny: ['Bash(rm:*)'] }).behavior).toBe('deny');
  });

  it('EX-4: a tool of a server is a firm question: neither a rule nor a hook answers it', () => {
    const call = { kind: 'mcp', server: 's', tool: 't' } as const;
    expect(place.act('mcp__s__t', call, { ...changes, allow: ['mcp__s'] })).toMatchObject({
      behavior: 'ask',
      firm: true,
    });
  });
});

describe('EX-4: the file of the plan', () => {
  const file = () => join(place.home, '.coppice', 'plan.md');
  const judged = (kind: 'read' | 'edit', path: string, changes: PolicyChanges = {}) =>
    place.act(
      kind === 'read' ? 'Read' : 'Write',
      { kind, path },
      {
        mode: 'plan',
        guarded: { own: [join(place.home, '.coppice')], programs: [] },
        plan: { file: file(), isMain: true },
        ...changes,
      },
    ).behavior;

  it('EX-4: only the main agent writes it, only in plan mode; all may read it', () => {
    expect(judged('edit', file())).toBe('allow');
    expect(judged('edit', file(), { plan: { file: file(), isMain: false } })).toBe('deny');
    expect(judged('read', file(), { plan: { file: file(), isMain: false } })).toBe('allow');
    for (const mode of ['default', 'acceptEdits'] as const) {
      expect([judged('edit', file(), { mode }), judged('read', file(), { mode })]).toEqual(['ask', 'allow']);
    }
    expect(judged('edit', `${file()}x`)).toBe('deny');
    expect(judged('edit', join(place.home, '.coppice', 'x', '..', 'plan.md.d', 'plan.md'))).toBe('deny');
  });

  it('EX-4: a link in its place, another name of it, or a file with two names is not it', async () => {
    const at = (name: string) => join(place.home, name);
    await mkdir(at('links'));
    const judgedAs = (path: string, plan: string) => judged('edit', path, { plan: { file: plan, isMain: true } });
    await symlink(join(place.root, 'f.txt'), at('links/plan.md'));
    expect(judgedAs(at('links/plan.md'), at('links/plan.md'))).toBe('deny');
    await writeFile(at('plan.md'), '');
    await symlink(at('plan.md'), at('links/name.md'));
    expect([judgedAs(at('plan.md'), at('plan.md')), judgedAs(at('links/name.md'), at('plan.md'))]).toEqual([
      'allow',
      'deny',
    ]);
    await link(at('plan.md'), at('links/second.md'));
    expect(judgedAs(at('plan.md'), at('plan.md'))).toBe('deny');
  });

  it('EX-4: a deny rule denies it, and an ask rule asks', () => {
    expect(judged('edit', file(), { deny: ['Edit'] })).toBe('deny');
    expect(judged('edit', file(), { ask: ['Edit'] })).toBe('ask');
    expect(judged('read', file(), { deny: ['Read'] })).toBe('deny');
  });
});

it('EX-15: who ends it: the main agent asks firmly while it plans; anyone else, and any other mode, is denied', () => {
  const exit = (changes: PolicyChanges) => place.act('ExitPlanMode', { kind: 'plan' }, changes);
  const plan = (isMain: boolean) => ({ file: '/p', isMain });
  expect(exit({ mode: 'plan', plan: plan(true), allow: ['ExitPlanMode'] })).toMatchObject({
    behavior: 'ask',
    firm: true,
  });
  expect(exit({ mode: 'plan', plan: plan(false) })).toMatchObject({
    behavior: 'deny',
    reason: expect.stringContaining('only the main agent ends plan mode; report your plan'),
  });
  expect(exit({ mode: 'plan' }).behavior).toBe('deny');
  for (const mode of ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions', 'bubble'] as const) {
    expect(exit({ mode, plan: plan(true), allow: ['ExitPlanMode'] }).behavior).toBe('deny');
  }
  expect(exit({ mode: 'plan', plan: plan(true), deny: ['ExitPlanMode'] }).behavior).toBe('deny');
});
