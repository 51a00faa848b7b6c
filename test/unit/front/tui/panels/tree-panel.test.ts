/** The tree in the live area, screen by screen. */

import { describe, expect, it } from 'vitest';
import { TreePanel, treeRows } from '../../../../../src/front/tui/panels/tree-panel.js';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import type { AgentView } from '../../../../../src/front/view/agent-view.js';
import fc from '../../../../support/fast-check.js';
import { agent, asking, running, shell, used, viewOf } from '../../view/tree/sample-view.js';
import { PLAIN } from '../identity-theme.js';

const worktree = { path: '/trees/one', branch: 'one' };
/** 20k tokens, 97 % of the input from the cache, six cents. */
const spent = used({ input: 500, cacheRead: 16_500, output: 2_700 });
const push = 'git push --force origin api';

const twelve = [
  agent('fork-1', { status: 'completed', endedAt: 60_000 }),
  agent('fork-2', {
    description: 'auth',
    ...running('Bash', { command: 'npm test' }, 110_000),
    signAt: 150_000,
    worktree,
    ...spent,
  }),
  agent('fork-3', { startedAt: 2_000 }),
  agent('fork-4', { status: 'completed', endedAt: 60_000 }),
  agent('fork-5', { description: 'mail', startedAt: 1_000, coming: 'thinking', signAt: 90_000 }),
  agent('fork-6', { startedAt: 3_000 }),
  agent('fork-7', { description: 'api', startedAt: 21_000, worktree, ...asking('fork-7', push) }),
  agent('fork-8', { startedAt: 4_000 }),
  agent('fork-9', { startedAt: 22_000, worktree, ...asking('fork-9', push) }),
  agent('fork-10', { startedAt: 5_000 }),
  agent('fork-11', { startedAt: 23_000, worktree, ...asking('fork-11', push) }),
  agent('fork-12', { status: 'queued', startedAt: 24_000 }),
];

function rowsOf(agents: readonly AgentView[], { width = 80, maxRows = 8, now = 151_000 } = {}): string[] {
  return new TreePanel().rows(viewOf(agents), now, { width, maxRows }, PLAIN);
}

const key = (name: string, text?: string) => ({ kind: 'key' as const, name, ...(text === undefined ? {} : { text }) });

describe('what is shown', () => {
  it('TU-3: the screen of twelve agents, 80 columns', () => {
    expect(rowsOf(twelve, { maxRows: 5 })).toEqual([
      'agents 12 · 3 asking · 6 running · 1 queued · 2 done · $0.06 · cache 97%',
      '? fork-7 api · asks Bash · 2:10 · wt   (+ fork-9, fork-11)',
      '● fork-2 auth · Bash npm test 0:41 · 2:31 · 19.7k · 97% · $0.06 · wt',
      '● fork-5 mail · thinking, quiet 1m · 2:30',
      '  … 4 running · 1 queued · 2 done · ↓ opens',
    ]);
  });

  it('TU-3: 40 columns have what matters, 200 columns also the savings', () => {
    expect(rowsOf(twelve, { maxRows: 5, width: 40 })).toEqual([
      'agents 12 · 3 asking · 6 running',
      '? fork-7 · asks Bash · 2:10 · wt   (+2)',
      '● fork-2 · Bash npm test 0:41 · 2:31',
      '● fork-5 · thinking, quiet 1m · 2:30',
      '  … 4 running · 1 queued · 2 done',
    ]);
    expect(rowsOf(twelve, { maxRows: 3, width: 200 })[0]).toBe(
      'agents 12 · 3 asking · 6 running · 1 queued · 2 done · $0.06 · cache 97% saved $0.06',
    );
  });

  it('TU-31: a fork has its cost, its cache share and its savings', () => {
    const [, row] = rowsOf([twelve[1] as AgentView], { width: 120 });
    expect(row).toBe('● fork-2 auth · Bash npm test 0:41 · 2:31 · 19.7k · 97% saved $0.06 · $0.06 · wt');
  });

  it.each([
    [71, '● fork-2 auth · Bash npm test 0:41 · 2:31 · 19.7k · 97% · $0.06 · wt'],
    [65, '● fork-2 auth · Bash npm test 0:41 · 2:31 · 19.7k · $0.06 · wt'],
    [59, '● fork-2 auth · Bash npm test 0:41 · 2:31 · $0.06 · wt'],
    [53, '● fork-2 · Bash npm test 0:41 · 2:31 · $0.06 · wt'],
    [45, '● fork-2 · Bash npm test 0:41 · 2:31 · wt'],
  ])('TU-3: narrower than that, cache, tokens, task and cost go in this order (%i)', (width, row) => {
    expect(rowsOf([twelve[1] as AgentView], { width })[1]).toBe(row);
  });

  it('TU-3: every state has its own mark', () => {
    const rows = rowsOf(
      [
        agent('a', asking('a', 'ls')),
        agent('b', { status: 'failed', fault: 'overloaded', endedAt: 5_000 }),
        agent('c', { coming: 'text' }),
        agent('d', { retry: { attempt: 2, most: 10, delayMs: 8_000, status: 529, line: 'overloaded', at: 150_000 } }),
        agent('e', { status: 'queued' }),
        agent('f', { status: 'interrupted', endedAt: 5_000 }),
        agent('g', { status: 'completed', endedAt: 5_000 }),
        agent('h', { status: 'stopped', endedAt: 5_000 }),
      ],
      { maxRows: 20 },
    );
    expect(rows).toEqual([
      'agents 8 · 1 asking · 1 failed · 2 running · 1 queued · 1 interrupted · 1 done',
      '? a · asks Bash · 2:31',
      '! b · failed: overloaded · 0:05',
      '● c · replying · 2:31',
      '↻ d · retrying 529 2/10 7s · 2:31',
      '○ e · queued · 2:31',
      '‖ f · interrupted · 0:05',
      '✓ g · 0:05',
      '× h · stopped · 0:05',
    ]);
  });

  it('TU-3: a closed parent shows the totals of all below it, and the mark of the most urgent', () => {
    const family = [
      agent('lead', { description: 'plan', coming: 'text', ...spent }),
      agent('one', { parent: 'lead', depth: 2, ...spent }),
      agent('two', { parent: 'one', depth: 3, ...asking('two', 'rm x'), ...spent }),
    ];
    const panel = new TreePanel();
    const rows = () => panel.rows(viewOf(family), 151_000, { width: 80, maxRows: 6 }, PLAIN);
    expect(rows().slice(1)).toEqual(['? lead plan · replying · +2 (1 asking, 1 running) · 2:31 · 59.1k · 97% · $0.18']);
    panel.focus();
    panel.press(key('right'));
    expect(rows().slice(1, 3)).toEqual([
      '› ● lead plan · replying · 2:31 · 19.7k · 97% · $0.06',
      '    ? one · working · +1 (1 asking) · 2:31 · 39.4k · 97% · $0.12',
    ]);
    panel.press(key('left'));
    expect(rows()[1]).toContain('59.1k');
  });

  it('TU-4: an agent is quiet after 60 s without activity; one that waits for its agent is not', () => {
    const quiet = agent('a', { ...running('Bash', { command: 'make' }, 0), signAt: 0 });
    expect(rowsOf([quiet], { now: 59_000 })[1]).toBe('● a · Bash make 0:59 · 0:59');
    expect(rowsOf([quiet], { now: 60_000 })[1]).toBe('● a · Bash make 1:00, quiet 1m · 1:00');
    expect(rowsOf([quiet], { now: 185_000 })[1]).toBe('● a · Bash make 3:05, quiet 3m · 3:05');
    const parent = agent('a', { ...running('Agent', { description: 'look' }, 0), signAt: 0 });
    expect(rowsOf([parent], { now: 185_000 })[1]).toBe('● a · Agent look 3:05 · 3:05');
  });

  it('TU-11: an agent that the user has taken over is marked', () => {
    const taken = { ...agent('a', { coming: 'text' }), takenOver: true };
    expect(rowsOf([taken])[1]).toBe('● a · taken over · replying · 2:31');
  });

  it('TU-30: names, tasks and types can’t write on the screen', () => {
    const hostile = 'x\u001b[2Jy\r\n\u202ez\t\u0007';
    const [, row] = rowsOf([agent('a', { name: hostile, description: hostile, coming: 'text' })]);
    expect(row).toBe('● xy z xy z · replying · 2:31');
    const [, unnamed] = rowsOf([agent('abcdef', { name: undefined, type: hostile, coming: 'text' })]);
    expect(unnamed).toBe('● xy z-abcd · replying · 2:31');
  });

  it('background commands are rows with their own mark, and can be stopped', () => {
    const panel = new TreePanel();
    const view = viewOf([], [shell('s1', { command: 'npm run dev\n\u001b[2J' })]);
    const size = { width: 80, maxRows: 8 };
    expect(panel.rows(view, 61_000, size, PLAIN)).toEqual([
      'commands 1',
      '$ npm run dev\\n\\u{1b}[2J · running · 1:01',
    ]);
    panel.focus();
    expect(panel.press(key('b'))).toBeUndefined();
    expect(panel.rows(view, 61_000, size, PLAIN).at(-1)).toBe('  command: enter view output, x stop');
    expect([panel.press(key('x')), panel.press(key('x'))]).toEqual([undefined, { kind: 'stop', agent: 's1' }]);
  });

  it('nothing to show takes no row; when everything has ended, it takes one', () => {
    expect(rowsOf([])).toEqual([]);
    expect(rowsOf([agent('a', { status: 'completed', endedAt: 1_000 })])).toEqual(['agents 1 · 1 done · ↓ opens']);
  });
});

describe('many', () => {
  const explorers = Array.from({ length: 120 }, (_, index) =>
    agent(`e${index}`, {
      type: 'explore',
      startedAt: index,
      ...(index < 96 ? { status: 'completed', endedAt: 1_000 } : {}),
    }),
  );

  it('TU-6: above 30 agents, siblings of a type are one row until opened; asking and failed ones stay single', () => {
    const panel = new TreePanel({ warnAt: 500 });
    const view = viewOf([
      ...explorers,
      agent('e-bad', { type: 'explore', status: 'failed', endedAt: 9_000 }),
      agent('e-ask', { type: 'explore', ...asking('e-ask', 'ls') }),
    ]);
    const rows = () => panel.rows(view, 10_000, { width: 80, maxRows: 6 }, PLAIN);
    expect(rows()).toEqual([
      'agents 122 · 1 asking · 1 failed · 24 running · 96 done',
      '? e-ask · asks Bash · 0:10',
      '! e-bad · failed · 0:09',
      '● explore ×120 · 96 done · 24 running',
    ]);
    panel.focus();
    for (const name of ['down', 'down', 'right']) panel.press(key(name));
    expect(rows().slice(3, 5)).toEqual(['› ● explore ×120 · 96 done · 24 running', '    ● e96 · working · 0:09']);
    panel.press(key('left'));
    expect(rows()[3]).toBe('› ● explore ×120 · 96 done · 24 running');
    // The failure was under the cursor on the way: it is seen, and still single.
    panel.blur();
    expect(rows().slice(2)).toEqual(['● explore ×120 · 96 done · 24 running', '! e-bad · failed · 0:09']);
    panel.focus();
    panel.press(key('down'));
    expect(panel.press(key('x'))).toBeUndefined();
    expect(rows().at(-1)).toBe('  open the group first (→)');
  });

  it('TU-6: thirty agents are not yet grouped', () => {
    const rows = rowsOf(explorers.slice(90), { maxRows: 4 });
    expect(rows[1]).toBe('● e96 · working · 2:30');
    expect(rowsOf(explorers.slice(89), { maxRows: 4 })[1]).toBe('● explore ×31 · 7 done · 24 running');
  });

  it('TU-6: with more than 50 running, a line shows their cost per minute and how to stop them', () => {
    const panel = new TreePanel({ stopKeys: () => 'ctrl+x ctrl+k twice' });
    const many = (cacheRead: number) =>
      viewOf(Array.from({ length: 51 }, (_, index) => agent(`a${index}`, used({ cacheRead }))));
    const size = { width: 80, maxRows: 8 };
    panel.rows(many(0), 0, size, PLAIN);
    // 51 agents × 100,000 tokens at $0.20 a million, in half a minute.
    expect(panel.rows(many(100_000), 30_000, size, PLAIN)[1]).toBe(
      '! 51 agents running · $2.04/min · ctrl+x ctrl+k twice to stop all',
    );
    expect(rowsOf([...many(0).agents.values()].slice(0, 51)).join('\n')).not.toContain('agents running');
  });

  it('TU-6: at most eight rows, and a third of the window', () => {
    expect([treeRows(60), treeRows(24), treeRows(15), treeRows(2)]).toEqual([8, 8, 5, 0]);
  });

  it('TU-32: only visible rows are rendered', () => {
    let read = 0;
    const counted = Array.from({ length: 200 }, (_, index) => {
      const one = agent(`a${index}`, { type: `t${index}`, startedAt: index });
      return Object.defineProperty(one, 'description', {
        get: () => {
          read += 1;
          return 'd';
        },
        enumerable: true,
      });
    });
    rowsOf(counted, { maxRows: 8 });
    expect(read).toBe(5);
  });
});

it('TU-3, TU-6: never wider than the width, never more rows than there is room for', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const anAgent = fc.record({
    name: fc.option(text, { nil: undefined }),
    type: fc.constantFrom('fork', 'explore', '説明役'),
    description: text,
    status: fc.constantFrom('running', 'queued', 'completed', 'failed', 'interrupted', 'stopped', 'waiting'),
    parent: fc.nat({ max: 50 }),
    tool: text,
  });
  const agents = fc.array(anAgent, { maxLength: 50 }).map((all) =>
    all.map(({ parent, tool, ...one }, index) =>
      agent(`a${index}`, {
        ...one,
        parent: parent < index ? `a${parent}` : 'main',
        ...running(tool, { command: tool }, 5),
        ...(index % 7 === 3 ? asking(`a${index}`, 'ls') : {}),
        ...spent,
      }),
    ),
  );
  const size = fc.record({ width: fc.nat({ max: 120 }), maxRows: fc.nat({ max: 12 }) });
  const keys = fc.array(fc.constantFrom('down', 'right', 'up', 'left', 'pagedown', 'space', '/', 'x', 'enter', 'k'));
  fc.assert(
    fc.property(agents, size, keys, fc.boolean(), (all, { width, maxRows }, pressed, opensAll) => {
      const panel = new TreePanel({ opensAll, warnAt: 20 });
      const check = () => {
        const rows = panel.rows(
          viewOf(all, [shell('s', { command: '字'.repeat(60) })]),
          70_000,
          { width, maxRows },
          PLAIN,
        );
        expect(rows.length).toBeLessThanOrEqual(maxRows);
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width);
      };
      check();
      panel.focus();
      for (const name of pressed) panel.press(key(name, name.length === 1 ? name : undefined));
      check();
    }),
  );
});
