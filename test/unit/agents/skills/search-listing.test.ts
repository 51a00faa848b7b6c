/** Finding skills and agents whose descriptions had no room. */

import { describe, expect, it } from 'vitest';
import { createSearchListing } from '../../../../src/agents/skills/search-listing.js';
import type { Tool } from '../../../../src/tools/tool.js';
import { makeBench } from '../../tools/tool-bench.js';

type Entries = ReturnType<Parameters<typeof createSearchListing>[0]>;

const ENTRIES: Entries = [
  { kind: 'skill', name: 'deploy', description: 'Puts the site\n  online.' },
  { kind: 'agent', name: 'security-auditor', description: 'Reads code for holes. Never changes the site.' },
  { kind: 'agent', name: 'release-manager', description: '' },
];

const say = async (entries: Entries, input: unknown) =>
  (await makeBench()).call(
    createSearchListing(() => entries),
    input,
  );
const text = async (entries: Entries, input: unknown) =>
  (await makeBench()).say(
    createSearchListing(() => entries),
    input,
  );

describe('EX-10: SearchListing', () => {
  it('is concurrent, acts on nothing and takes a query and a kind', async () => {
    const tool: Tool = createSearchListing(() => ENTRIES);
    expect([tool.name, tool.concurrent]).toEqual(['SearchListing', true]);
    expect(tool.declare({ query: 'x' }, { cwd: '/', root: '/', home: '/' } as never)).toEqual([{ kind: 'session' }]);
    expect(tool.parse({ query: 'x', kind: 'plugin' }).ok).toBe(false);
    expect(tool.parse({ query: '' }).ok).toBe(false);
  });

  it('shows whole descriptions, best first, in a line each, with what to call', async () => {
    expect(await text(ENTRIES, { query: 'site' })).toBe(
      '- deploy, skill (use it with Skill): Puts the site online.\n- security-auditor, agent (subagent_type of Agent): Reads code for holes. Never changes the site.',
    );
    expect(await text(ENTRIES, { query: 'site', kind: 'agent' })).toMatch(/^- security-auditor, .*site\.$/);
    expect(await text(ENTRIES, { query: 'Release-Manager' })).toBe(
      '- release-manager, agent (subagent_type of Agent): (no description)',
    );
    expect(await text(ENTRIES, { query: 'select:deploy,deplou' })).toMatch(
      /^- deploy, .*\nNo skill or agent matches "deplou". Nearest names: deploy\./,
    );
  });

  it('a name alone finds its entry first', async () => {
    const entries: Entries = [
      { kind: 'skill', name: 'code-review', description: 'Code.' },
      { kind: 'skill', name: 'code', description: '' },
    ];
    expect(await text(entries, { query: 'code' })).toMatch(/^- code, /);
  });

  it('ten of them, names of some more, and each bounded', async () => {
    const many: Entries = Array.from({ length: 40 }, (_, n) => ({
      kind: 'skill',
      name: `do-${String(n).padStart(2, '0')}`,
      description: 'w'.repeat(9_000),
    }));
    const lines = (await text(many, { query: 'do' })).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe(`- do-00, skill (use it with Skill): ${'w'.repeat(2_500)}…`);
    expect(lines[10]).toMatch(/^Also: do-10, .*, do-29$/);
  });

  it('nothing found is an error with the nearest names and what to do', async () => {
    expect(await say(ENTRIES, { query: 'secuirty-auditor' })).toMatchObject({ isError: true });
    expect(await text(ENTRIES, { query: 'find deplpy xx', kind: 'skill' })).toBe(
      'No skill matches "find deplpy xx". Nearest names: deploy. Search again with other words: what it does, or what it works on.',
    );
    expect(await text([], { query: 'x' })).toBe(
      'No skill or agent matches "x". Search again with other words: what it does, or what it works on.',
    );
  });

  it('sees what there is at the time of the search', async () => {
    const entries = [...ENTRIES];
    const tool = createSearchListing(() => entries);
    const bench = await makeBench();
    expect(await bench.say(tool, { query: 'zebra' })).toMatch(/^No skill or agent/);
    entries.push({ kind: 'skill', name: 'zebra', description: 'Stripes.' });
    expect(await bench.say(tool, { query: 'zebra' })).toBe('- zebra, skill (use it with Skill): Stripes.');
  });
});
