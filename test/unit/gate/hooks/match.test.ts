import { describe, expect, it } from 'vitest';
import { matchNames, readMatcher } from '../../../../src/gate/hooks/match.js';
import fc from '../../../support/fast-check.js';

const matches = (matcher: string | undefined, ...names: string[]) => matchNames(readMatcher(matcher), names);

describe('matchers', () => {
  it.each([undefined, '', '*', '  '])('GT-15: %j matches all', (matcher) => {
    expect(matches(matcher, 'Bash')).toBe('yes');
    expect(matches(matcher, 'mcp__memory__write')).toBe('yes');
  });

  it.each([
    ['Bash', 'Bash', 'yes'],
    ['Bash', 'BashOutput', 'no'],
    ['bash', 'Bash', 'no'],
    ['Edit|Write', 'Write', 'yes'],
    ['Edit|Write', 'NotebookEdit', 'no'],
    ['Edit, Write', 'Write', 'yes'],
    ['Edit | Write,', 'Edit', 'yes'],
    ['code-reviewer', 'code-reviewer', 'yes'],
    ['plugin:reviewer', 'plugin:reviewer', 'yes'],
    ['mcp__memory', 'mcp__memory__write', 'yes'],
    ['mcp__memory', 'mcp__memory2__write', 'no'],
    ['mcp__memory__write', 'mcp__memory__write', 'yes'],
    ['mcp__memory__write', 'mcp__memory__write_all', 'no'],
  ])('GT-15: the plain name or list %j on %s: %s', (matcher, name, expected) => {
    expect(matches(matcher, name)).toBe(expected);
  });

  it.each([
    ['mcp__.*__write.*', 'mcp__memory__write_all', 'yes'],
    ['Notebook.*', 'NotebookEdit', 'yes'],
    ['^Notebook', 'NotebookEdit', 'yes'],
    ['^(Edit|Write)$', 'NotebookEdit', 'no'],
    ['Notebook(Edit|Read)', 'NotebookRead', 'yes'],
    ['(?:Multi)?Edit', 'Edit', 'yes'],
    ['mcp__github__*', 'mcp__github__push', 'yes'],
    ['^Bash$', 'BashOutput', 'no'],
  ])(
    'GT-15, GT-18: anything else is an expression, as existing settings write it: %j on %s: %s',
    (matcher, name, expected) => {
      expect(matches(matcher, name)).toBe(expected);
    },
  );

  it('GT-15: any of a tool’s names will do', () => {
    expect(matches('Task', 'Agent', 'Task')).toBe('yes');
    expect(matches('^Task$', 'Agent', 'Task')).toBe('yes');
  });

  it.each(['[', '*Edit', 'Write(*.py)', 'Bash(git push)', 'Read(//etc/x)', 'Bash(npm run:x)', 'a.'.repeat(600)])(
    'GT-15: the matcher %j cannot be used and says so',
    (matcher) => {
      expect(readMatcher(matcher)).toMatchObject({ kind: 'unusable' });
      expect(matches(matcher, 'Bash')).toBe('no answer');
    },
  );

  it('GT-15: an expression that would take years is given up, and not tried again for the same name', () => {
    const matcher = readMatcher('^(([A-Za-z])+.)+[A-Z]([a-z])+#$');
    const name = 'a'.repeat(60);
    expect(matchNames(matcher, [name])).toBe('no answer');
    for (let again = 0; again < 1_000; again++) expect(matchNames(matcher, [name])).toBe('no answer');
    expect(matchNames(matcher, ['x'])).toBe('no');
  });

  it('GT-15: what a matcher and a name may be, an answer comes', () => {
    const part = fc.constantFrom('(', ')', '+', '*', 'a', '.', '[', ']', '|', '{1,9}', '?', '\\', '^', '$', 'Bash');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), fc.string({ maxLength: 40 }), (parts, name) => {
        expect(['yes', 'no', 'no answer']).toContain(matches(parts.join(''), name));
      }),
      { numRuns: 300 },
    );
  });
});
