import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../../src/agents/catalog/catalog.js';
import { declaredType, type RouteInput, routeCall } from '../../../../src/agents/catalog/route.js';
import { definition } from './definition.js';

const catalog = createCatalog({ definitions: [definition({ name: 'code-reviewer' })], isDenied: () => false });

function outcome(input: RouteInput, available: boolean): string {
  const route = routeCall(input, catalog, available);
  switch (route.kind) {
    case 'fork':
      return 'fork';
    case 'named':
      return `${route.definition.name}${route.fellBack ? ', fell back' : ''}`;
    default:
      return `unknown ${route.asked}`;
  }
}

describe('routeCall', () => {
  const rows: readonly (readonly [RouteInput, boolean, string])[] = [
    [{ fork: true, subagent_type: 'Explore' }, true, 'fork'],
    [{ fork: true, subagent_type: 'no-such-type' }, true, 'fork'],
    [{ fork: true }, true, 'fork'],
    [{ fork: true, subagent_type: 'Explore' }, false, 'Explore, fell back'],
    [{ fork: true }, false, 'general-purpose, fell back'],
    [{ fork: false, subagent_type: 'Explore' }, true, 'Explore'],
    [{ fork: false, subagent_type: 'Explore' }, false, 'Explore'],
    [{ subagent_type: 'Explore' }, true, 'Explore'],
    [{ subagent_type: 'Explore' }, false, 'Explore'],
    [{ fork: false }, true, 'general-purpose'],
    [{ fork: false }, false, 'general-purpose'],
    [{}, true, 'general-purpose'],
    [{}, false, 'general-purpose'],
    [{ subagent_type: 'fork' }, true, 'fork'],
    [{ subagent_type: ' Fork ' }, true, 'fork'],
    [{ subagent_type: 'fork' }, false, 'general-purpose, fell back'],
    [{ subagent_type: '' }, true, 'general-purpose'],
    [{ subagent_type: '  ' }, false, 'general-purpose'],
    [{ subagent_type: 'nothing' }, true, 'unknown nothing'],
    [{ fork: true, subagent_type: 'nothing' }, false, 'unknown nothing'],
  ];
  it.each(rows)('AG-1, FK-1: %j with fork available: %s → %s', (input, available, expected) => {
    expect(outcome(input, available)).toBe(expected);
  });

  it.each(['Code Reviewer', 'code_reviewer', 'CODE-REVIEWER', 'codereviewer', ' code  reviewer '])(
    'AG-1: "%s" is matched without regard to case, spaces, _ and -',
    (asked) => {
      expect(outcome({ subagent_type: asked }, true)).toBe('code-reviewer');
    },
  );

  it('AG-7: guide is also known as claude-code-guide', () => {
    expect(outcome({ subagent_type: 'claude-code-guide' }, true)).toBe('guide');
  });

  it('AG-2: the type that rules are asked about is the one that will run', () => {
    expect(declaredType({ fork: true, subagent_type: 'Explore' }, true)).toBe('fork');
    expect(declaredType({ fork: true, subagent_type: 'Explore' }, false)).toBe('Explore');
    expect(declaredType({ subagent_type: 'fork' }, false)).toBe('general-purpose');
    expect(declaredType({}, true)).toBe('general-purpose');
  });
});
