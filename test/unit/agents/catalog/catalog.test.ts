import { describe, expect, it } from 'vitest';
import { BUILT_IN_DEFINITIONS } from '../../../../src/agents/catalog/built-in.js';
import { createCatalog } from '../../../../src/agents/catalog/catalog.js';
import { definition } from './definition.js';

const nothingDenied = { isDenied: () => false };

describe('catalog', () => {
  it('AG-7: the built-in agents are there, and none but general-purpose has the Agent tool', () => {
    expect(BUILT_IN_DEFINITIONS.map(({ name, model, tools }) => [name, model, tools])).toEqual([
      ['general-purpose', 'inherit', 'all'],
      ['Explore', 'haiku', ['Read', 'Grep', 'Glob', 'Bash']],
      ['Plan', 'inherit', ['Read', 'Grep', 'Glob', 'Bash']],
      ['statusline-setup', 'inherit', ['Read', 'Edit']],
      ['guide', 'inherit', ['Read', 'Grep', 'Glob']],
      ['verification', 'inherit', ['Read', 'Grep', 'Glob', 'Bash']],
    ]);
    expect(BUILT_IN_DEFINITIONS.filter(({ oneShot }) => oneShot).map(({ name }) => name)).toEqual(['Explore', 'Plan']);
  });

  it('AG-7: their prompts ask to work directly and to end with one message', () => {
    for (const { prompt } of BUILT_IN_DEFINITIONS) {
      expect(prompt).toMatch(/yourself, directly/);
      expect(prompt).toMatch(/[Ee]nd with (exactly )?one message/);
    }
  });

  it('AG-7: a file of the same name replaces a built-in agent, however it is spelled', () => {
    const mine = definition({ name: 'explore' });
    const catalog = createCatalog({ definitions: [mine], ...nothingDenied });
    expect(catalog.find('Explore')).toBe(mine);
    expect(catalog.list().filter(({ name }) => name.toLowerCase() === 'explore')).toEqual([mine]);
  });

  it('FK-1: fork is reserved: no file can describe it', () => {
    const catalog = createCatalog({ definitions: [definition({ name: 'fork' })], ...nothingDenied });
    expect(catalog.find('fork')).toBeUndefined();
    expect(catalog.list().map(({ name }) => name)).not.toContain('fork');
  });

  it('AG-7: disableBuiltinAgents hides all, or those it names', () => {
    const none = createCatalog({ definitions: [definition({ name: 'mine' })], disableBuiltIn: true, ...nothingDenied });
    expect(none.list().map(({ name }) => name)).toEqual(['mine']);
    const some = createCatalog({ definitions: [], disableBuiltIn: ['explore', 'Plan'], ...nothingDenied });
    expect(some.list().map(({ name }) => name)).toEqual([
      'general-purpose',
      'statusline-setup',
      'guide',
      'verification',
    ]);
  });

  it('AG-2: what a rule denies is not listed; the nearest spelling comes first', () => {
    const catalog = createCatalog({
      definitions: [definition({ name: 'code-reviewer' }), definition({ name: 'secret' })],
      isDenied: (type) => type === 'secret',
    });
    expect(catalog.list().map(({ name }) => name)).not.toContain('secret');
    expect(catalog.namesNear('code-reviwer')[0]).toBe('code-reviewer');
    expect(catalog.namesNear('xyzzy')).not.toContain('secret');
    expect(catalog.namesNear('xyzzy')).toContain('general-purpose');
  });
});
