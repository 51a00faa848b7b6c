import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import type { PermissionQuestion } from '../../../../../src/protocol/permission.js';
import { namedInput } from '../../../../../src/protocol/tools/built-in-tools.js';
import { ask, fork, key, stage } from './question-stage.js';

const rule = (text: string) => ({ kind: 'rule', rule: text, where: ['session', 'local'] }) as const;

function push(id: string, agent: PermissionQuestion['agent'], cwd = '/p'): PermissionQuestion {
  return ask(id, {
    agent,
    cwd,
    call: { id: `c-${id}`, tool: 'Bash', input: { command: 'git push --force origin api' } },
    destroys: ['rewrites the remote'],
    reason: 'it pushes',
    offers: [rule('Bash(git push --force origin api)')],
  });
}

const three = [push('a', fork('fork-7', 'api-7f3a')), push('b', fork('fork-9')), push('c', fork('fork-11'))];
const list = ask('list', { call: { id: 'c', tool: 'Bash', input: { command: 'ls' } } });

describe('what is shown', () => {
  it('TU-12, TU-14: who asks, the command, what it destroys, where, the exact rule, and the choices; none is highlighted', async () => {
    const { open, rows } = stage();
    await open(...three);
    expect(rows()).toEqual([
      'fork-7 (worktree api-7f3a) asks; so do fork-9, fork-11',
      '  Bash  git push --force origin api   ! rewrites the remote',
      '  in /p · because it pushes',
      '  1 once · 2 always Bash(git push --force origin api)',
      '  l the same in local settings · 3 no, because… · s only fork-7',
    ]);
  });

  it('TU-12: name, type, depth and task of the requester; its position among the open questions; further offers have numbers', async () => {
    const { open, rows } = stage();
    const agent = { id: 'a1', type: 'tester', depth: 2, name: 'wren', task: 'try it' };
    const offers = [rule('Bash(npm test)'), rule('Bash(npm:*)'), { kind: 'mode', mode: 'acceptEdits' }] as const;
    await open(ask('q', { agent, offers }), list);
    expect(rows()).toEqual([
      'wren (tester, depth 2) asks · 1 of 2',
      '  Bash  npm test',
      '  in /p · for: try it · because it is not known to be read-only',
      ' ›1 once · 2 always Bash(npm test) · l the same in local settings',
      '  3 no, because… · 4 always Bash(npm:*)',
      '  5 always Bash(npm:*) in local settings',
      '  6 auto-accept edits in this session (mode acceptEdits)',
    ]);
  });

  it('TU-14: every requester with its folder, if they differ', async () => {
    const { open, rows } = stage();
    await open(push('a', fork('fork-7')), push('b', fork('fork-9'), '/q'));
    expect(rows().slice(0, 4)).toEqual([
      'fork-7 asks; so does fork-9',
      '  Bash  git push --force origin api   ! rewrites the remote',
      '  fork-7 in /p · because it pushes',
      '  fork-9 in /q · because it pushes',
    ]);
  });

  it('TU-12: an input higher than the space scrolls, with what it destroys and the choices in sight', async () => {
    const { open, rows, press } = stage({ maxRows: 7 });
    const command = Array.from({ length: 9 }, (_, n) => `echo ${n}`).join('\n');
    await open(ask('q', { call: { id: 'c', tool: 'Bash', input: { command } }, destroys: ['deletes files (rm)'] }));
    const below = ['  ! deletes files (rm)', '  1 once · 3 no, because…'];
    expect(rows()).toEqual([
      'The main agent asks',
      '  Bash',
      '  | echo 0',
      '  | echo 1',
      '  … 1–4 of 12 rows · pgup pgdn',
      ...below,
    ]);
    press(key('pagedown'));
    press(key('ctrl+down'));
    expect(rows()).toEqual([
      '  | echo 3',
      '  | echo 4',
      '  | echo 5',
      '  | echo 6',
      '  … 6–9 of 12 rows · pgup pgdn',
      ...below,
    ]);
    for (let n = 0; n < 9; n += 1) press(key('pagedown'));
    expect(rows()[3]).toBe('  in /p · because it is not known to be read-only');
    press(key('pageup'));
    press(key('pageup'));
    expect(rows()[0]).toBe('The main agent asks');
  });

  it('TU-12: a rule too long for its row is shown in full above, or is the command itself', async () => {
    const { open, rows } = stage();
    const long = `npm run build -- ${'x'.repeat(60)}`;
    const offers = [rule(`Bash(${long})`), rule(`Bash(${long.slice(0, 70)}:*)`)];
    await open(ask('q', { call: { id: 'c', tool: 'Bash', input: { command: long } }, offers }));
    expect(rows()).toEqual([
      'The main agent asks',
      '  Bash',
      `  | ${long.slice(0, 75)}`,
      `  | ${long.slice(75)}`,
      `  always: Bash(${long.slice(0, 64)}`,
      `  ↳ ${long.slice(64, 70)}:*)`,
      '  in /p · because it is not known to be read-only',
      ' ›1 once · 2 always exactly this command · l the same in local settings',
      '  3 no, because… · 4 always … · 5 always … in local settings',
    ]);
  });

  it('TU-12: an edit is shown as its diff', async () => {
    const { open, rows } = stage();
    const input = { file_path: 'a.ts', old_string: 'one', new_string: 'two' };
    await open(ask('q', { call: { id: 'c', tool: 'Edit', input } }));
    expect(rows().slice(0, 5)).toEqual([
      'The main agent asks',
      '  Edit',
      '  file_path: a.ts',
      '  | - one',
      '  | + two',
    ]);
  });

  it('TU-30, GT-20: characters that could control the terminal or hide are escaped in every part, and no row is too wide', async () => {
    const evil = 'a\u001b[2J\u202eb\n1 once\u200d漢字🧑‍🚀';
    for (const width of [20, 33, 79]) {
      const { open, rows } = stage({ width, maxRows: 60 });
      await open(
        ask('q', {
          agent: {
            id: evil,
            type: evil,
            depth: 3,
            name: evil,
            task: evil,
            worktree: { name: evil, path: evil, branch: evil },
          },
          call: { id: 'c', ...namedInput('Bash', { command: evil, [evil]: evil }) },
          cwd: evil,
          reason: evil,
          destroys: [evil],
          offers: [rule(`Bash(${evil})`)],
        }),
      );
      const all = rows();
      expect(all.filter((row) => widthOf(row) > width)).toEqual([]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
      expect(all.filter((row) => /[\u0000-\u001f\u202e\u200d]/.test(row))).toEqual([]);
      expect(all.filter((row) => row.startsWith('1 once'))).toEqual([]);
    }
  });

  it('never exceeds the space, and is empty without a question', async () => {
    for (let maxRows = 0; maxRows < 12; maxRows += 1) {
      const { open, rows } = stage({ maxRows, width: 30 });
      expect(rows()).toEqual([]);
      await open(...three);
      expect(rows().length).toBeLessThanOrEqual(maxRows);
    }
  });
});

describe('answers', () => {
  const offers = [rule('Bash(npm test)'), rule('Bash(npm:*)'), { kind: 'mode', mode: 'acceptEdits' }] as const;
  const always = (text: string, where: 'session' | 'local') => ({
    behavior: 'allow',
    always: [{ kind: 'rule', rule: text, where }],
  });

  it.each([
    ['1', { behavior: 'allow' }],
    ['y', { behavior: 'allow' }],
    ['enter', { behavior: 'allow' }],
    ['2', always('Bash(npm test)', 'session')],
    ['a', always('Bash(npm test)', 'session')],
    ['l', always('Bash(npm test)', 'local')],
    ['4', always('Bash(npm:*)', 'session')],
    ['5', always('Bash(npm:*)', 'local')],
    ['6', { behavior: 'allow', always: [{ kind: 'mode', mode: 'acceptEdits' }] }],
  ])('TU-12: %s', async (name, answer) => {
    const { open, deliberate, given, pageHost } = stage();
    await open(ask('q', { offers }));
    await deliberate(name);
    expect(given).toEqual([['q', answer]]);
    expect([pageHost.asked, pageHost.waiting]).toEqual([undefined, 0]);
  });

  it('TU-12: Enter accepts the choice highlighted with the arrows', async () => {
    const { open, deliberate, given, rows } = stage();
    await open(ask('q', { offers: [rule('Bash(npm test)')] }));
    await deliberate('right');
    expect(rows().at(-2)).toBe('  1 once · ›2 always Bash(npm test) · l the same in local settings');
    await deliberate('enter');
    expect(given).toEqual([['q', always('Bash(npm test)', 'session')]]);
  });

  it('TU-12: no, with a line for the reason; without one a plain no; Esc returns to the choices', async () => {
    const { open, deliberate, type, given, frame } = stage();
    await open(ask('q'));
    await deliberate('3', 'esc', 'n');
    await type('use pnpm');
    expect(frame()).toEqual({
      rows: [
        'The main agent asks',
        '  Bash  npm test',
        '  in /p · because it is not known to be read-only',
        '  because: use pnpm',
        '  enter sends the no · esc back',
      ],
      cursor: { row: 3, column: 19 },
    });
    await deliberate('enter');
    expect(given).toEqual([['q', { behavior: 'deny', reason: 'use pnpm' }]]);
    const plain = stage();
    await plain.open(ask('q'));
    await plain.deliberate('n', 'enter');
    expect(plain.given).toEqual([['q', { behavior: 'deny' }]]);
  });

  it('TU-12: if something is destroyed, Enter alone does nothing and a choice needs Enter after it', async () => {
    const { open, deliberate, given, rows } = stage();
    await open(push('a', fork('fork-7')));
    await deliberate('enter', '1');
    expect(given).toEqual([]);
    expect(rows().slice(-2)).toEqual([
      ' ›1 once · 2 always Bash(git push --force origin api)',
      '  l the same in local settings · 3 no, because… · enter confirm',
    ]);
    await deliberate('enter');
    expect(given).toEqual([['a', { behavior: 'allow' }]]);
  });

  it('TU-14: one answer goes to all listed agents, each with its own offer', async () => {
    const { open, deliberate, given } = stage();
    const [a, b, c] = three;
    if (a === undefined || b === undefined || c === undefined) throw new Error('three');
    await open(a, { ...b, offers: [] }, c);
    await deliberate('2', 'enter');
    const kept = always('Bash(git push --force origin api)', 'session');
    expect(given).toEqual([
      ['a', kept],
      ['b', { behavior: 'allow' }],
      ['c', kept],
    ]);
  });

  it('TU-14: an agent that joins after the key, or is settled before it takes effect, gets no answer', async () => {
    const { open, clock, press, pageHost, rows, given } = stage();
    const [a, b] = [ask('a', { agent: fork('fork-1') }), ask('b', { agent: fork('fork-2') })];
    const late = ask('late', { agent: fork('fork-3') });
    await open(a, b);
    await clock.advance(1_000);
    press(key('1'));
    pageHost.update([b, late]);
    expect(rows()[0]).toBe('fork-2 asks; so does fork-3');
    await clock.advance(300);
    expect(given).toEqual([['b', { behavior: 'allow' }]]);
    expect(pageHost.asked?.id).toBe('late');
  });

  it('TU-14: an agent that joined and was not painted yet gets no answer', async () => {
    const { open, clock, pageHost, given } = stage();
    await open(ask('a', { agent: fork('fork-1') }));
    await clock.advance(1_000);
    pageHost.update([ask('a', { agent: fork('fork-1') }), ask('b', { agent: fork('fork-2') })]);
    pageHost.press(key('1'), { hasDraft: false });
    await clock.advance(300);
    expect(given).toEqual([['a', { behavior: 'allow' }]]);
  });

  it('TU-14: s answers for the first alone; then the others are asked about', async () => {
    const { open, deliberate, given, rows, pageHost } = stage();
    await open(...three);
    await deliberate('s');
    expect(rows()[0]).toBe('fork-7 (worktree api-7f3a) asks, alone; fork-9, fork-11 wait');
    await deliberate('1', 'enter');
    expect(given).toEqual([['a', { behavior: 'allow' }]]);
    expect([rows()[0], pageHost.waiting]).toEqual(['fork-9 asks; so does fork-11', 2]);
  });

  it('TU-14: an answer for one agent never reaches another', async () => {
    const { open, deliberate, settle, given, rows } = stage();
    await open(...three);
    await deliberate('s', '1');
    await settle('a');
    expect(rows()[0]).toBe('fork-9 asks; so does fork-11');
    await deliberate('enter');
    expect(given).toEqual([]);
  });
});

describe('which one is shown', () => {
  it('TU-13: Esc sets it aside unanswered, and Tab shows it', async () => {
    const { open, deliberate, given, rows, pageHost } = stage();
    await open(ask('q'));
    await deliberate('esc');
    expect([rows(), given, pageHost.waiting, pageHost.asked]).toEqual([[], [], 1, undefined]);
    await open(ask('q'));
    expect(rows()).toEqual([]);
    await deliberate('tab', '1');
    expect(given).toEqual([['q', { behavior: 'allow' }]]);
  });

  it('TU-13: Esc shows the next one; Tab switches between them', async () => {
    const { open, deliberate, pageHost, given } = stage();
    await open(ask('q'), list);
    await deliberate('tab');
    expect(pageHost.asked?.id).toBe('list');
    await deliberate('tab');
    expect(pageHost.asked?.id).toBe('q');
    await deliberate('esc');
    expect([pageHost.asked?.id, pageHost.waiting, given]).toEqual(['list', 2, []]);
  });

  it('TU-14: a new one never replaces the shown one; one settled elsewhere disappears', async () => {
    const { open, rows, pageHost } = stage();
    await open(ask('q'));
    await open(list, ask('q'));
    expect(rows()[0]).toBe('The main agent asks · 2 of 2');
    expect(pageHost.asked?.id).toBe('q');
    await open(list);
    expect(pageHost.asked?.id).toBe('list');
    await open();
    expect(rows()).toEqual([]);
  });

  it('text being written for a question that is settled elsewhere goes to the editor', async () => {
    const { open, deliberate, type, settle, written, given } = stage();
    await open(ask('q'));
    await deliberate('n');
    await type('use pnpm');
    await settle('q');
    expect([written(), given]).toEqual(['use pnpm', []]);
  });

  it('written text stays when it is set aside', async () => {
    const { open, deliberate, type, pageHost, rows } = stage();
    await open(ask('q'));
    await deliberate('n');
    await type('use pnpm');
    pageHost.setAside();
    expect(rows()).toEqual([]);
    pageHost.bringUp();
    expect(rows().at(-2)).toBe('  because: use pnpm');
  });

  it('a question whose answer was not delivered is asked again', async () => {
    const { open, deliberate, pageHost, clock } = stage({ answer: () => Promise.reject(new Error('gone')) });
    await open(ask('q'));
    await deliberate('1');
    await clock.settle();
    expect(pageHost.asked?.id).toBe('q');
  });
});
