/** What an allow rule means beyond its words, and how one that can't match is to be written (GT-35). */

import { describe, expect, it } from 'vitest';
import { describeRule, meansMore } from '../../../../../src/gate/permissions/rules/describe-rule.js';
import { parseRule } from '../../../../../src/gate/permissions/rules/rule.js';
import { createSessionRules, refuseRules } from '../../../../../src/gate/session-rules.js';
import { nodeHost } from '../../../../../src/host/node-host.js';

describe('GT-35: the effect of an allow rule', () => {
  it.each([
    'Bash',
    'Bash(*)',
    'Bash(npx:*)',
    'Bash(node:*)',
    'Bash(node *)',
    'Bash(/usr/bin/python3:*)',
    'Bash(bash:*)',
    'Bash(bash -c:*)',
    'Bash(npm run:*)',
    'Bash(make:*)',
    'Bash(awk:*)',
    'Bash(docker run:*)',
  ])('GT-35: %s lets any program run', (rule) => {
    expect(describeRule(rule)).toBe('lets any program run');
  });

  it.each(['curl', 'wget', 'scp', 'rsync', 'nc'])('GT-35: %s can send any file', (name) => {
    expect(describeRule(`Bash(${name}:*)`)).toBe('can send any file');
  });

  it('GT-35: ssh does both', () => {
    expect(describeRule('Bash(ssh:*)')).toBe('lets any program run, can send any file');
  });

  it.each([
    'Bash(npm test:*)',
    'Bash(node build.js:*)',
    'Bash(npx tsc)',
    'Bash(ls:*)',
    'Bash(git:*)',
    'Bash(curl https://x.org)',
    'Read',
    'mcp__node',
    'Bash(node*)',
  ])('GT-35: %s says what it means', (rule) => {
    expect(describeRule(rule)).toBeUndefined();
  });

  it('GT-35: rules that name a runner or git mean more than before, but for the bare tool', () => {
    const rules = ['Bash(git:*)', 'Bash(git log:*)', 'Bash(node:*)', 'Bash(curl:*)', 'Bash(ls:*)', 'Bash', 'Read'];
    expect(rules.filter(meansMore)).toEqual(['Bash(git:*)', 'Bash(git log:*)', 'Bash(node:*)']);
  });
});

describe('GT-35: a rule that can never match comes with the spelling that would', () => {
  it.each([
    ['Bash(npm run *:*)', 'write Bash(npm run:*)'],
    ['Bash(npm test*)', 'write Bash(npm test:*)'],
    ['Bash(git * main)', 'or Bash(git:*), which covers more'],
    ['Bash(ls:*,cat:*)', 'Bash(ls:*), Bash(cat:*)'],
    ['Bash(npm run build && npm test:*)', 'Bash(npm run build), Bash(npm test:*)'],
    ['Bash(npm test)*', 'write Bash(npm test:*)'],
    ['Bash(npm test', 'write Bash(npm test)'],
    ['Bash("npm test")', 'it is Bash(npm test)'],
    ['Bash(npm test:)', 'it is Bash(npm test:*)'],
    ['Bash:*', 'write Bash'],
    ['Bash:npm test', 'write Bash(npm test)'],
    ['bash(npm test)', 'did you mean Bash(npm test)?'],
    ['Read(/etc/hosts)', 'begins with //: //etc/hosts'],
    ['WebFetch(https://x.org)', 'WebFetch(domain:x.org)'],
    ['WebFetch(x.org)', 'WebFetch(domain:x.org)'],
    ['WebSearch(x)', 'write WebSearch'],
    ['mcp__server(tool)', 'write mcp__server__tool'],
    ['mcp__*', 'name the server: mcp__server'],
  ])('GT-35: %s: %s', (rule, spelling) => {
    expect(parseRule(rule, 'allow', { source: 's', base: '/shop' }).warning).toContain(spelling);
  });

  it.each(['Bash (ls)', 'Bash(npm *)', 'Bash(git commit -m:*)', 'Bash(npm test :*)', 'mcp__server__*', 'Bash(./x:*)'])(
    'GT-35: %s is fine',
    (rule) => {
      const read = parseRule(rule, 'allow', { source: 's', base: '/shop' });
      expect([read.warning, read.rule?.text]).toEqual([undefined, rule]);
    },
  );
});

describe('GT-32: thousands of rules with problems', () => {
  const origin = { scope: 'project', file: '.claude/settings.json', folder: '/shop' } as const;

  it('GT-32: give a handful of short warnings and a count', () => {
    const sources = Array.from({ length: 3_000 }, (_, index) => ({
      behavior: 'allow' as const,
      rule: `Bash(x${index}*${'y'.repeat(1_000)})`,
      origin,
    }));
    const warnings: string[] = [];
    createSessionRules({ host: nodeHost('/'), projectRoot: '/shop', sources, warn: (line) => warnings.push(line) });
    expect(warnings).toHaveLength(6);
    expect(warnings.at(-1)).toBe('2,995 more rules have such problems');
    expect(Math.max(...warnings.map((line) => line.length))).toBeLessThan(2_000);
  });

  it('GT-32 GT-33: stop the start with a handful of reasons', () => {
    const sources = Array.from({ length: 3_000 }, () => ({ behavior: 'deny' as const, rule: 'Bash(', origin }));
    const many = sources.map((one, index) => ({ ...one, rule: `Bash(a${index}) b c` }));
    const reason = refuseRules(many, { projectRoot: '/shop', trusted: true });
    expect(reason?.split('\n')).toHaveLength(6);
  });
});
