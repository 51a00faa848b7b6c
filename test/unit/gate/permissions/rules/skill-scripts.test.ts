/** Scripts of skills, run by an interpreter: a rule covers running one, and nothing that may change it (GT-7, GT-29, EX-14). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlayground, type Playground } from '../playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('.claude/skills/x/a.py');
  await place.write('.claude/skills/x/a.sh');
  await place.write('.claude/settings.json', '{}');
});
afterAll(() => place.remove());

const RUNS = [
  ['Bash(python3:*)', 'python3 .claude/skills/x/a.py --out build/x'],
  ['Bash(python3 .claude/skills/x/a.py:*)', 'python3 .claude/skills/x/a.py one two'],
  ['Bash(sh:*)', 'sh .claude/skills/x/a.sh'],
  ['Bash(bash:*)', 'bash .claude/skills/x/a.sh release'],
  ['Bash(node:*)', 'node .claude/skills/x/a.mjs'],
] as const;

describe('GT-29 EX-14: a script that an interpreter is given first', () => {
  it.each(RUNS)('GT-29: %s covers %s', (rule, command) => {
    expect(place.bash(command, { allow: [rule] })).toMatchObject({ behavior: 'allow' });
  });

  it.each(RUNS)('GT-29: without a rule it asks as any command does (%s)', (_rule, command) => {
    const decision = place.bash(command);
    expect(decision).toMatchObject({ behavior: 'ask' });
    expect(decision).not.toHaveProperty('firm');
  });

  it.each([
    'python3 tool.py .claude/skills/x/a.py',
    'python3 .claude/skills/x/a.py .claude/skills/x/SKILL.md',
    'python3 -c "x" .claude/skills/x/a.py',
    'perl -pi -e s/a/b/ .claude/skills/x/a.sh',
    'sh -c "x" .claude/skills/x/a.sh',
    'sh .claude/skills/x/a.sh > .claude/skills/x/b.sh',
    'cp tool.py .claude/skills/x/a.py',
    'tee .claude/skills/x/a.sh',
    'bash a.sh .claude/settings.json',
  ])('GT-7: what may change one is a firm question, whatever is allowed: %s', (command) => {
    expect(place.bash(command, { allow: ['Bash'] })).toMatchObject({ behavior: 'ask', firm: true });
  });

  it('GT-4: a deny rule for reading it holds', () => {
    const decision = place.bash('python3 .claude/skills/x/a.py', {
      allow: ['Bash'],
      deny: ['Read(.claude/skills/**)'],
    });
    expect(decision.behavior).not.toBe('allow');
  });
});
