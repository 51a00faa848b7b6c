import { describe, expect, it } from 'vitest';
import { announcementsOf, type ChangingFacts, describeChanges } from '../../../src/context/announced-facts.js';

const facts: ChangingFacts = {
  date: '2026-11-15',
  branch: 'branch main',
  files: [
    { path: '/p/CLAUDE.md', text: 'Use tabs.' },
    { path: '/p/AGENTS.md', text: 'Be brief.' },
  ],
};
const told = announcementsOf(facts);

describe('describeChanges', () => {
  it('FK-25: nothing, if all facts are as announced', () => {
    expect(describeChanges(told, facts)).toBeUndefined();
  });

  it('FK-25: the date and the branch, in a line each', () => {
    const change = describeChanges(told, { ...facts, date: '2026-11-16', branch: 'branch other' });
    expect(change?.words).toBe('Today is 2026-11-16.\n\nThe repository is on branch other now.');
    expect(change?.announcements).toMatchObject({ date: '2026-11-16', branch: 'branch other' });
  });

  it('FK-25: only the files whose text has changed, or that are new', () => {
    const files = [
      { path: '/p/CLAUDE.md', text: 'Use spaces.' },
      { path: '/p/AGENTS.md', text: 'Be brief.' },
      { path: '/p/src/CLAUDE.md', text: 'New here.' },
    ];
    const { words = '', announcements = {} } = describeChanges(told, { ...facts, files }) ?? {};
    expect(words).toContain('## From /p/CLAUDE.md\n\nUse spaces.');
    expect(words).toContain('## From /p/src/CLAUDE.md\n\nNew here.');
    expect(words).not.toContain('Be brief.');
    expect(describeChanges({ ...told, ...announcements }, { ...facts, files })).toBeUndefined();
  });

  it('FK-25: a file that is gone, once; and when it comes back', () => {
    const without = { ...facts, files: facts.files.slice(0, 1) };
    const gone = describeChanges(told, without);
    expect(gone?.words).toBe('Instructions that no longer hold: /p/AGENTS.md');
    const since = { ...told, ...gone?.announcements };
    expect(describeChanges(since, without)).toBeUndefined();
    expect(describeChanges(since, facts)?.words).toContain('Be brief.');
  });

  it('FK-25: a text that changes back is announced again', () => {
    const other = { ...facts, files: [{ path: '/p/CLAUDE.md', text: 'Use spaces.' }, ...facts.files.slice(1)] };
    const since = { ...told, ...describeChanges(told, other)?.announcements };
    expect(describeChanges(since, facts)?.words).toContain('Use tabs.');
  });

  it('FK-25: an agent without recorded announcements gets all facts', () => {
    expect(describeChanges({}, facts)?.words).toMatch(/Today is[\s\S]*branch main[\s\S]*Use tabs\.[\s\S]*Be brief\./);
    expect(describeChanges({ date: facts.date }, { date: facts.date, branch: undefined, files: [] })).toBeUndefined();
  });
});
