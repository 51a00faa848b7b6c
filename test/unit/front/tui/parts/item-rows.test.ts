import { describe, expect, it } from 'vitest';
import { callLine, callText } from '../../../../../src/front/tui/parts/call-line.js';
import { itemRows } from '../../../../../src/front/tui/parts/item-rows.js';
import { patchRows } from '../../../../../src/front/tui/parts/patch-rows.js';
import type { Item } from '../../../../../src/front/view/items/item.js';
import { freezeBlock } from '../../../../../src/protocol/frozen-block.js';
import fc from '../../../../support/fast-check.js';
import { expectSound, markdown, NO_COLOURS, plain, themeOf } from './rows.js';

const options = { width: 60, theme: NO_COLOURS, cwd: '/w' };
const call = (tool: string, input: unknown, rest: Partial<Extract<Item, { kind: 'call' }>> = {}): Item => ({
  kind: 'call',
  call: 'c',
  tool,
  input,
  isError: false,
  ms: 12,
  result: [],
  ...rest,
});
const result = (content: string) => [freezeBlock({ type: 'tool_result', tool_use_id: 'c', content })];
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

describe('itemRows', () => {
  it('TU-2: the sample of the contract', async () => {
    const items: Item[] = [
      { kind: 'prompt', seq: 1, text: 'make the login tests pass', attached: 0 },
      { kind: 'text', text: 'The cookie is set twice; fixing the middleware.' },
      call('Edit', { file_path: '/w/src/auth.ts', old_string: 'a\nb\n', new_string: 'a\nc\n' }),
      call('Bash', { command: 'npm test' }, { ms: 41_000, result: result('ok') }),
    ];
    expect((await Promise.all(items.map((item) => itemRows(item, options)))).flat()).toEqual([
      '',
      '> make the login tests pass',
      '● The cookie is set twice; fixing the middleware.',
      '  Edit src/auth.ts +1 −1',
      '      a',
      '    - b',
      '    + c',
      '  Bash npm test · 0:41',
      '    ok',
    ]);
  });

  it('TU-2: an edit is a diff of 20 lines; whole, it is all of it', async () => {
    const item = call('Write', { file_path: '/w/a.txt', content: lines(30) });
    const rows = await itemRows(item, options);
    expect(rows).toHaveLength(22);
    expect(rows[0]).toBe('  Write a.txt +30');
    expect(rows[20]).toBe('    + line 19');
    expect(rows[21]).toBe('    … 10 more lines (ctrl+o)');
    expect(await itemRows(item, { ...options, whole: true })).toHaveLength(31);
    expect((await itemRows(item, { ...options, key: 'f2' })).at(-1)).toContain('(f2)');
  });

  it('TU-2: the first lines of an output, a few of a fault, and a mark that differs without colours', () => {
    expect(itemRows(call('Bash', { command: 'ls' }, { result: result(lines(10)) }), options)).toEqual([
      '  Bash ls',
      '    line 0',
      '    line 1',
      '    line 2',
      '    … 7 more lines (ctrl+o)',
    ]);
    const failed = itemRows(call('Bash', { command: 'ls' }, { isError: true, result: result(lines(10)) }), options);
    expect(failed).toHaveLength(7);
    expect((failed as string[])[0]).toBe('✗ Bash ls · failed');
    expect(itemRows(call('Read', { file_path: '/w/a.ts', offset: 5 }, { result: result(lines(10)) }), options)).toEqual(
      ['  Read a.ts:5 · 10 lines'],
    );
  });

  it('TU-2: thinking is a dim line, todos are the current one and n/m', () => {
    expect(itemRows({ kind: 'thinking', text: 'First this.\nThen that.' }, options)).toEqual(['∴ First this. …']);
    expect(itemRows({ kind: 'thinking', text: 'a\nb' }, { ...options, whole: true })).toEqual(['∴ a', '  b']);
    const items = [
      { content: 'a', status: 'completed' },
      { content: 'write b', status: 'in_progress', activeForm: 'writing b' },
      { content: 'c', status: 'pending' },
    ];
    expect(itemRows({ kind: 'todos', items }, options)).toEqual(['  todos 1/3 · writing b']);
    expect(itemRows({ kind: 'todos', items }, { ...options, whole: true })).toHaveLength(4);
    expect(itemRows({ kind: 'todos', items: items.slice(0, 1) }, options)).toEqual(['  todos 1/1 · all done']);
    expect(itemRows({ kind: 'todos', items: [null, 7] }, options)).toHaveLength(1);
  });

  it('TU-2: prompts of many lines, messages, notices and lines', () => {
    expect(itemRows({ kind: 'prompt', seq: 1, text: 'one\ntwo', attached: 1 }, options)).toEqual([
      '',
      '> one',
      '  two (+1 attached)',
    ]);
    expect(itemRows({ kind: 'prompt', seq: 1, text: lines(500), attached: 0 }, options)).toHaveLength(22);
    expect(itemRows({ kind: 'message', seq: 1, from: 'agent', name: 'fork-2', text: 'done' }, options)).toEqual([
      '',
      '← fork-2: done',
    ]);
    expect(itemRows({ kind: 'message', seq: 1, from: 'hook', text: 'a\nb' }, options)).toEqual(['  hook: a b']);
    expect(itemRows({ kind: 'notice', agent: 'a', status: 'completed', text: 'found it' }, options)).toEqual([
      '✓ found it',
    ]);
    const marks = (['info', 'warning', 'error'] as const).map((level) =>
      itemRows({ kind: 'line', level, text: 'x' }, options),
    );
    expect(marks.flat()).toEqual(['· x', '! x', '✗ x']);
  });

  it('GT-20, TU-1: any item at any width gives rows that fit and control nothing', async () => {
    const item = fc.oneof(
      fc.record({ kind: fc.constant('prompt' as const), seq: fc.nat(), text: markdown, attached: fc.nat(2) }),
      fc.record({ kind: fc.constant('text' as const), text: markdown }),
      fc.record({ kind: fc.constant('thinking' as const), text: markdown }),
      fc.record({
        kind: fc.constant('message' as const),
        seq: fc.nat(),
        from: fc.constantFrom('agent' as const, 'hook' as const),
        name: markdown,
        text: markdown,
      }),
      fc.record({ kind: fc.constant('notice' as const), agent: markdown, status: markdown, text: markdown }),
      fc.record({
        kind: fc.constant('line' as const),
        level: fc.constantFrom('info' as const, 'error' as const),
        text: markdown,
      }),
      fc.record({
        kind: fc.constant('todos' as const),
        items: fc.array(
          fc.oneof(fc.record({ content: markdown, status: fc.constantFrom('pending', 'in_progress') }), fc.anything()),
        ),
      }),
      fc.record({
        kind: fc.constant('call' as const),
        call: fc.constant('c'),
        tool: fc.oneof(
          fc.constantFrom(
            'Bash',
            'Edit',
            'Write',
            'Read',
            'Agent',
            'SendMessage',
            'Skill',
            'ExitPlanMode',
            'mcp__a__b',
          ),
          markdown,
        ),
        input: fc.oneof(
          fc.record({
            command: markdown,
            file_path: markdown,
            old_string: markdown,
            new_string: markdown,
            content: markdown,
            plan: markdown,
            prompt: markdown,
            to: markdown,
          }),
          fc.json().map((json): unknown => JSON.parse(json)),
        ),
        isError: fc.boolean(),
        ms: fc.nat(10_000_000),
        result: markdown.map(result),
      }),
    );
    await fc.assert(
      fc.asyncProperty(item, fc.integer({ min: 1, max: 90 }), fc.boolean(), async (one, width, whole) => {
        expectSound(await itemRows(one, { width, theme: themeOf(8), cwd: '/w', whole }), width);
      }),
      { numRuns: 400 },
    );
  });
});

describe('callLine', () => {
  it('GT-20: commands and paths are shown exactly, on one line', () => {
    const command = 'rm -rf /\u202e\u001b[2K\nnext\tx';
    expect(callText('Bash', { command }, '/w').about).toBe('rm -rf /\\u{202e}\\u{1b}[2K … (+1 line)');
    expect(callText('Read', { file_path: '/w/a\nb' }, '/w').about).toBe('a\\nb');
  });

  it('TU-2: paths are relative below the folder, and nowhere else', () => {
    const path = (file_path: string) => callText('Edit', { file_path }, '/w/x').about;
    expect(path('/w/x/src/a.ts')).toBe('src/a.ts');
    expect(path('/w/xy/a.ts')).toBe('/w/xy/a.ts');
    expect(path('/etc/passwd')).toBe('/etc/passwd');
    expect(path('src/b.ts')).toBe('src/b.ts');
  });

  it('TU-2: agents, messages, servers and unknown tools', () => {
    const shown = (tool: string, input: unknown) => {
      const { name, about } = callText(tool, input, '/w');
      return `${name} ${about}`.trim();
    };
    expect(shown('Agent', { description: 'find callers', subagent_type: 'explore', prompt: 'p' })).toBe(
      'Agent explore: find callers',
    );
    expect(shown('Agent', { prompt: 'do it\nnow', fork: true })).toBe('Agent fork: do it … (+1 line)');
    expect(shown('SendMessage', { to: 'a', message: 'hi' })).toBe('SendMessage to a: hi');
    expect(shown('mcp__git_hub__create__issue', { title: 'Bug', labels: [1] })).toBe(
      'git_hub create__issue title: Bug, labels: [1]',
    );
    expect(shown('Weather', undefined)).toBe('Weather');
    expect(shown('ExitPlanMode', { plan: 'x' })).toBe('ExitPlanMode');
    expect(shown('Bash', null)).toBe('Bash');
  });

  it('TU-2: the duration stays when the command is cut', () => {
    const row = callLine('Bash', { command: 'x'.repeat(100) }, { ...options, width: 30, facts: ['0:41'] });
    expect(row).toBe(`  Bash ${'x'.repeat(15)}… · 0:41`);
  });
});

describe('the report of an agent', () => {
  it('TU-2: the part for the model is shown only when expanded', async () => {
    const item = {
      kind: 'call',
      call: 'c',
      tool: 'Agent',
      input: { description: 'look' },
      isError: false,
      ms: 0,
      result: [
        freezeBlock({
          type: 'tool_result',
          tool_use_id: 'c',
          content: 'All is well.\n\nagentId: 12ab (to go on with it)\n<usage>tokens: 5</usage>',
        }),
      ],
    } as const;
    const options = { width: 60, theme: NO_COLOURS, cwd: '/p' };
    expect((await itemRows(item, options)).slice(1)).toEqual(['    All is well.']);
    expect((await itemRows(item, { ...options, whole: true })).join('\n')).toContain('agentId: 12ab');
  });
});

describe('patchRows', () => {
  it('TU-8: a git patch keeps its headers; a header-like line in a hunk is a line', () => {
    const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new\n same';
    const theme = themeOf(4);
    const rows = patchRows(patch, { width: 40, theme });
    expect(plain(rows)).toEqual(patch.split('\n'));
    expect(rows[1]).toBe(theme.dim('--- a/x'));
    expect(rows.slice(4)).toEqual([theme.removed('--- old'), theme.added('+++ new'), ' same']);
  });
});
