/** The order of the tree, stability with the focus, and its keys. */

import { describe, expect, it } from 'vitest';
import { TreePanel } from '../../../../../src/front/tui/panels/tree-panel.js';
import type { AgentView } from '../../../../../src/front/view/agent-view.js';
import { agent, asking, viewOf } from '../../view/tree/sample-view.js';
import { PLAIN } from '../identity-theme.js';

const SIZE = { width: 80, maxRows: 8 };
const key = (name: string, text?: string) => ({ kind: 'key' as const, name, ...(text === undefined ? {} : { text }) });

/** A tree that is rendered repeatedly. */
function stage(...first: readonly AgentView[]) {
  const panel = new TreePanel();
  let agents = first;
  let now = 1_000;
  const rows = () => panel.rows(viewOf(agents), now, SIZE, PLAIN);
  const stage = {
    panel,
    rows,
    /** Marks and names, in order. */
    names: () => rows().flatMap((row) => /^(?:[ ›][ *])?\s*([?!●○✓‖×↻] [\w-]+)/.exec(row)?.[1] ?? []),
    become: (...next: readonly AgentView[]) => {
      agents = next;
    },
    wait: (ms: number) => {
      now += ms;
    },
    press: (...names: readonly string[]) =>
      names.map((name) => panel.press(key(name, name.length === 1 ? name : undefined))),
    foot: () => rows().at(-1),
  };
  rows();
  return stage;
}

const done = (id: string, startedAt = 0) => agent(id, { status: 'completed', startedAt, endedAt: startedAt + 1 });
const failed = (id: string, startedAt = 0) => agent(id, { status: 'failed', startedAt, endedAt: startedAt + 1 });
const asks = (id: string, startedAt = 0) => agent(id, { startedAt, ...asking(id, id) });
const queued = (id: string, startedAt = 0) => agent(id, { status: 'queued', startedAt });

describe('order', () => {
  it('TU-5: asking, failed and unseen, running, queued, done; within each by start', () => {
    const { names } = stage(
      done('a'),
      queued('b', 3),
      agent('c', { startedAt: 9 }),
      agent('d', { startedAt: 4 }),
      failed('e'),
      asks('f', 8),
      asks('g', 2),
    );
    expect(names()).toEqual(['? g', '? f', '! e', '● d', '● c', '○ b', '✓ a']);
  });

  it('TU-5: a row moves only when its state changes', () => {
    const { names, become } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    become(
      agent('a', { startedAt: 1, coming: 'thinking', signAt: 900, turns: 7 }),
      agent('b', { startedAt: 2, signAt: 1 }),
    );
    expect(names()).toEqual(['● a', '● b']);
    become(done('a', 1), agent('b', { startedAt: 2 }));
    expect(names()).toEqual(['● b', '✓ a']);
  });

  it('TU-5: a parent ranks like the most urgent task below it', () => {
    const { names } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }), {
      ...asks('c', 3),
      parent: 'b',
    });
    expect(names()).toEqual(['? b', '● a']);
  });

  it('TU-5: no row moves while the tree has the focus; new ones come last', () => {
    const { names, become, panel, press } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    panel.focus();
    become(done('a', 1), asks('b', 2), asks('c', 0));
    expect(names()).toEqual(['✓ a', '? b', '? c']);
    expect(press('esc')).toEqual([{ kind: 'leave' }]);
    expect(panel.hasFocus).toBe(false);
    expect(names()).toEqual(['? c', '? b', '✓ a']);
  });

  it('TU-5: a failure that was chosen in the tree is seen, one of its next run is not', () => {
    const { names, become, panel, press } = stage(failed('a'), agent('b'));
    expect(names()).toEqual(['! a', '● b']);
    panel.focus();
    press('esc');
    expect(names()).toEqual(['● b', '! a']);
    become({ ...failed('a'), run: 2 }, agent('b'));
    expect(names()).toEqual(['! a', '● b']);
  });

  it('TU-14: agents that ask the same share a row until it is opened', () => {
    const same = (id: string, startedAt: number) => agent(id, { startedAt, ...asking(id, 'git push') });
    const { rows, names, panel, press } = stage(same('a', 1), same('b', 2), same('c', 3), asks('d', 4));
    expect(rows()[1]).toBe('? a · asks Bash · 0:00   (+ b, c)');
    expect(names()).toEqual(['? a', '? d']);
    panel.focus();
    press('right');
    expect(names()).toEqual(['? a', '? b', '? c', '? d']);
    press('left');
    expect(names()).toEqual(['? a', '? d']);
  });
});

describe('TU-8: keys', () => {
  it('TU-8: each acts on the chosen agent', () => {
    const { panel, press } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    expect(press('enter')).toEqual([undefined]);
    panel.focus();
    expect(press('enter', 'b', 'r', 'm', 'd', 'A', 'down', 'enter', 'down', 'd', 'up', 'd')).toEqual([
      { kind: 'view', agent: 'a' },
      { kind: 'background', agent: 'a' },
      { kind: 'resume', agent: 'a' },
      { kind: 'write', agent: 'a' },
      { kind: 'diff', agent: 'a' },
      { kind: 'apply', agent: 'a' },
      undefined,
      { kind: 'view', agent: 'b' },
      undefined,
      { kind: 'diff', agent: 'b' },
      undefined,
      { kind: 'diff', agent: 'a' },
    ]);
  });

  it('TU-8: only the second x stops, and only the same agent, within three seconds', () => {
    const { panel, press, foot, wait, rows } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    panel.focus();
    expect(press('x')).toEqual([undefined]);
    expect(foot()).toBe('  x again to stop a');
    expect(press('down', 'x')).toEqual([undefined, undefined]);
    expect(foot()).toBe('  x again to stop b');
    wait(3_001);
    rows();
    expect(press('x')).toEqual([undefined]);
    expect(press('x')).toEqual([{ kind: 'stop', agent: 'b' }]);
    expect(press('x')).toEqual([undefined]);
  });

  it('TU-8: the second x does not stop another task that replaced the first', () => {
    const { panel, press, become, foot } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    panel.focus();
    press('x');
    become(agent('b', { startedAt: 2 }));
    foot();
    expect(press('x')).toEqual([undefined]);
    expect(foot()).toBe('  x again to stop b');
  });

  it('TU-8: the chosen one stays chosen when others appear and disappear', () => {
    const { panel, press, become, rows } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    panel.focus();
    press('down');
    become(agent('b', { startedAt: 2 }), agent('c', { startedAt: 3 }));
    expect(rows()[1]).toBe('› ● b · working · 0:00');
    expect(press('d')).toEqual([{ kind: 'diff', agent: 'b' }]);
  });

  it('TU-8: space marks, = compares the marked agents', () => {
    const { panel, press, rows, foot } = stage(agent('a', { startedAt: 1 }), agent('b', { startedAt: 2 }));
    panel.focus();
    expect(press('space', '=')).toEqual([undefined, undefined]);
    expect(foot()).toBe('  mark two or more with space, then =');
    press('down', 'space');
    expect(rows().slice(1, 3)).toEqual([' *● a · working · 0:00', '›*● b · working · 0:00']);
    expect(press('=')).toEqual([{ kind: 'compare', agents: ['a', 'b'] }]);
  });

  it('TU-8: / filters by name, task and state, through the whole tree', () => {
    const { panel, press, names, foot } = stage(
      agent('auth', { startedAt: 1 }),
      agent('mail', { startedAt: 2, parent: 'auth', description: 'Xylophone' }),
      queued('docs', 3),
    );
    panel.focus();
    press('/', 'x', 'y', 'l');
    expect(foot()).toBe('  / xyl▏');
    expect(names()).toEqual(['● mail']);
    expect(press('enter', 'd')).toEqual([undefined, { kind: 'diff', agent: 'mail' }]);
    expect(press('esc')).toEqual([undefined]);
    expect(names()).toEqual(['● auth', '○ docs']);
    press('/', 'q', 'u', 'e', 'z', 'backspace');
    expect(names()).toEqual(['○ docs']);
    press('esc');
    expect(panel.hasFocus).toBe(true);
    expect(names()).toEqual(['● auth', '○ docs']);
  });

  it('TU-8: the window follows the chosen row, and the last row has the keys', () => {
    const many = Array.from({ length: 12 }, (_, index) => agent(`a${index}`, { startedAt: index }));
    const { panel, press, rows } = stage(...many);
    panel.focus();
    press(...Array.from({ length: 9 }, () => 'down'));
    expect(rows()).toEqual([
      'agents 12 · 12 running',
      '  ● a4 · working · 0:00',
      '  ● a5 · working · 0:00',
      '  ● a6 · working · 0:00',
      '  ● a7 · working · 0:00',
      '  ● a8 · working · 0:00',
      '› ● a9 · working · 0:00',
      '  … 6 more · enter view · esc back · x x stop · m write · / filter · → open',
    ]);
  });
});
