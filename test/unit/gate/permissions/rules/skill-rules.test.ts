/** Rules about skills, the plan and searches of the web: how they are read, what they match, what is decided without one. */

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { couldMatchRule } from '../../../../../src/gate/permissions/could-match-rule.js';
import { createResolver } from '../../../../../src/gate/permissions/paths/resolver.js';
import { matchRule } from '../../../../../src/gate/permissions/rules/match-rule.js';
import { parseRule } from '../../../../../src/gate/permissions/rules/rule.js';
import { suggestRules } from '../../../../../src/gate/permissions/suggest-rules.js';
import { makePlayground, type Playground, type PolicyChanges } from '../playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
});
afterAll(() => place.remove());

const origin = { source: 'settings', base: '/' };

describe('GT-4 EX-11: Skill(…)', () => {
  it.each([
    ['Skill(deploy)', 'deploy', false],
    ['Skill(/deploy)', 'deploy', false],
    ['Skill(deploy *)', 'deploy', false],
    ['Skill( /deploy  * )', 'deploy', false],
    ['Skill(review:*)', 'review:', true],
    ['Skill(apps/web:deploy)', 'apps/web:deploy', false],
    ['Skill(a\\(b\\))', 'a(b)', false],
  ])('GT-4: %s', (text, name, andBelow) => {
    expect(parseRule(text, 'allow', origin).rule?.matches).toEqual({ kind: 'skill', name, andBelow });
  });

  it.each(['Skill', 'Skill()', 'Skill(*)'])('GT-4: %s is about all of them', (text) => {
    expect(parseRule(text, 'deny', origin).rule).toMatchObject({ tool: 'Skill', matches: { kind: 'every' } });
  });

  it.each([
    ['Skill(a*b)', '* may only be at the end of the name of a skill'],
    ['Skill(a**)', '* may only be at the end of the name of a skill'],
    ['Skill(/ *)', 'it names no skill'],
    ['Skill(/)', 'it names no skill'],
  ])('GT-4: as an allow rule, %s can never match', (text, reason) => {
    const { rule, warning } = parseRule(text, 'allow', origin);
    expect(rule).toBeUndefined();
    expect(warning).toContain(reason);
  });

  const judged = (name: string, changes: PolicyChanges, tool = 'Skill') =>
    place.act(tool, { kind: 'skill', name }, changes).behavior;

  it('EX-11: what forbids means it in other letters, too; no other skill', () => {
    expect(judged('deploy', {})).toBe('allow');
    expect(judged('deploy', { deny: ['Skill(deploy)'] })).toBe('deny');
    expect(judged('deploy', { deny: ['Skill(DePloy)'] })).toBe('deny');
    expect(judged('Deploy', { ask: ['Skill(deploy *)'] })).toBe('ask');
    expect(judged('deploy-all', { deny: ['Skill(deploy)'] })).toBe('allow');
    expect(judged('review:a', { deny: ['Skill(review:*)'] })).toBe('deny');
    expect(judged('reviewer', { deny: ['Skill(review:*)'] })).toBe('allow');
    expect(judged('any', { deny: ['Skill'] })).toBe('deny');
    // Whatever tool takes it up.
    expect(judged('any', { deny: ['Skill'] }, 'Other')).toBe('deny');
    expect(judged('any', { deny: ['Bash', 'WebSearch'] })).toBe('allow');
  });

  it('EX-11: a skill is only text: no mode asks for it', () => {
    expect(judged('deploy', { mode: 'dontAsk' })).toBe('allow');
    expect(judged('deploy', { mode: 'plan' })).toBe('allow');
    expect(judged('deploy', { mode: 'bypassPermissions', deny: ['Skill(deploy)'] })).toBe('deny');
  });

  it('GT-4: what allows means exactly what is written', () => {
    const resolver = createResolver(place.policy(), '/');
    const matches = (text: string, behavior: 'allow' | 'deny', name: string) => {
      const { rule } = parseRule(text, behavior, origin);
      if (rule === undefined) throw new Error(text);
      const action = { kind: 'skill', name } as const;
      return matchRule(rule, { tool: 'Skill', input: {}, actions: [action], cwd: '/' }, action, resolver);
    };
    expect(matches('Skill(Deploy)', 'deny', 'deploy')).toBe(true);
    expect(matches('Skill(Deploy)', 'allow', 'deploy')).toBe(false);
    expect(matches('Skill(Deploy)', 'allow', 'Deploy')).toBe(true);
  });

  it.each([
    ['Skill(deploy)', { skill: 'deploy' }, true],
    ['Skill(deploy)', { skill: '/Deploy', args: 'x' }, true],
    ['Skill(DEPLOY)', { skill: 'deploy' }, true],
    ['Skill(deploy)', { skill: 'deploy-all' }, false],
    ['Skill(review:*)', { skill: 'review:a' }, true],
    ['Skill(review:*)', { skill: 'other' }, false],
    ['Skill(deploy)', {}, true],
  ])('GT-15: as a condition of a hook, %s on %j: %s', (rule, input, expected) => {
    expect(couldMatchRule(rule, 'Skill', input, { cwd: '/w', home: '/h' })).toBe(expected);
  });

  it('GT-11: the rule a yes becomes is read as it is meant', () => {
    expect(suggestRules({ actions: [{ kind: 'skill', name: 'a(b)' }] })).toEqual(['Skill(a\\(b\\))']);
    expect(suggestRules({ actions: [{ kind: 'web-search', query: 'q' }] })).toEqual(['WebSearch']);
    expect(suggestRules({ actions: [{ kind: 'plan' }] })).toEqual([]);
  });
});

describe('EX-24: a search of the web', () => {
  const judged = (changes: PolicyChanges, tool = 'WebSearch') =>
    place.act(tool, { kind: 'web-search', query: 'q' }, changes);

  it('EX-24 GT-4: asks, unless a rule allows it', () => {
    expect(judged({})).toMatchObject({ behavior: 'ask', reason: 'it searches the web, and no rule allows that' });
    expect(judged({ allow: ['WebSearch'] }).behavior).toBe('allow');
    expect(judged({ allow: ['WebSearch'] }, 'Other').behavior).toBe('allow');
    expect(judged({ deny: ['WebSearch'] }, 'Other').behavior).toBe('deny');
    expect(judged({ allow: ['WebFetch'] }).behavior).toBe('ask');
    expect(judged({ mode: 'dontAsk' }).behavior).toBe('deny');
  });
});

describe('EX-15: the end of plan mode', () => {
  const judged = (changes: PolicyChanges) => place.act('ExitPlanMode', { kind: 'plan' }, changes);

  it('EX-15: is firmly asked of the user, whatever rules say', () => {
    const plan = { file: '/plan.md', isMain: true };
    expect(judged({ mode: 'plan', plan, allow: ['ExitPlanMode'] })).toMatchObject({ behavior: 'ask', firm: true });
    expect(judged({ mode: 'plan', plan, deny: ['ExitPlanMode'] }).behavior).toBe('deny');
  });

  it('EX-15: outside plan mode, and for another than the main agent, it is refused without a word of approval', () => {
    const plan = { file: '/plan.md', isMain: true };
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
      expect(judged({ mode, plan })).toMatchObject({
        behavior: 'deny',
        reason: expect.stringContaining('not in plan mode'),
      });
    for (const other of [{ plan: { ...plan, isMain: false } }, {}])
      expect(judged({ mode: 'plan', ...other })).toMatchObject({
        behavior: 'deny',
        reason: expect.stringContaining('only the main agent ends plan mode'),
      });
  });

  it('EX-4: the file of the plan is the main agent’s to write, while it plans, by its own name', async () => {
    await place.write('plan.md');
    await place.write('other.md');
    const file = join(place.root, 'plan.md');
    const link = join(place.root, 'link.md');
    await symlink(file, link);
    const edit = (path: string, changes: PolicyChanges) =>
      place.act('Write', { kind: 'edit', path }, { plan: { file, isMain: true }, mode: 'plan', ...changes }).behavior;
    expect(edit(file, {})).toBe('allow');
    expect(edit(link, {})).toBe('deny');
    expect(edit(join(place.root, 'other.md'), {})).toBe('deny');
    expect(edit(file, { plan: { file, isMain: false } })).toBe('deny');
    expect(edit(file, { mode: 'default' })).toBe('ask');
    expect(edit(file, { deny: ['Edit(plan.md)'] })).toBe('deny');
    expect(edit(file, { ask: ['Edit(plan.md)'] })).toBe('ask');
  });
});
