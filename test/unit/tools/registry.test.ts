import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nearestNames } from '../../../src/tools/nearest-names.js';
import { BUILT_IN_TOOLS, declareTools, findTool, unknownTool } from '../../../src/tools/registry.js';
import type { Tool } from '../../../src/tools/tool.js';
import { zodTool } from '../../../src/tools/zod-tool.js';

const at = { cwd: '/w/sub', home: '/home/p' };
const tool = (name: string) => {
  const found = findTool(BUILT_IN_TOOLS, name);
  if (found === undefined) throw new Error(name);
  return found;
};

function custom(name: string, aliases: readonly string[] = []): Tool {
  return zodTool<unknown>({
    name,
    aliases,
    description: name,
    schema: () => z.object({}),
    concurrent: true,
    declare: () => [{ kind: 'custom', readOnly: true }],
    run: async () => ({ isError: false, content: [] }),
  });
}

describe('SF-14: the registry', () => {
  it('SF-14: names and inputs are as rules and hooks expect them', () => {
    const fields = declareTools(BUILT_IN_TOOLS).map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties ?? {}),
      inputSchema.required,
    ]);
    expect(fields).toEqual([
      ['Bash', ['command', 'description', 'timeout', 'run_in_background', 'unconfined'], ['command']],
      ['Read', ['file_path', 'offset', 'limit', 'pages'], ['file_path']],
      ['Write', ['file_path', 'content'], ['file_path', 'content']],
      ['Edit', ['file_path', 'old_string', 'new_string', 'replace_all'], ['file_path', 'old_string', 'new_string']],
      [
        'NotebookEdit',
        ['notebook_path', 'cell_id', 'new_source', 'cell_type', 'edit_mode'],
        ['notebook_path', 'new_source'],
      ],
      ['Glob', ['pattern', 'path'], ['pattern']],
      [
        'Grep',
        [
          'pattern',
          'path',
          'glob',
          'type',
          'output_mode',
          '-A',
          '-B',
          '-C',
          '-n',
          '-i',
          'head_limit',
          'offset',
          'multiline',
        ],
        ['pattern'],
      ],
      ['TodoWrite', ['todos'], ['todos']],
      ['WebFetch', ['url', 'prompt'], ['url']],
    ]);
  });

  it('SF-14: declarations are the same bytes in any order, and built once', () => {
    const extra = [custom('mcp__b'), custom('mcp__a')];
    const one = declareTools([...BUILT_IN_TOOLS, ...extra]);
    const other = declareTools([...extra, ...BUILT_IN_TOOLS].reverse());
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(one.map(({ name }) => name).slice(-2)).toEqual(['mcp__a', 'mcp__b']);
    expect(one.every(({ inputSchema }, index) => inputSchema === other[index]?.inputSchema)).toBe(true);
    expect(JSON.stringify(one)).not.toContain('$schema');
    for (const { description } of declareTools(BUILT_IN_TOOLS)) expect(description.length).toBeGreaterThan(100);
  });

  it('SF-14: each tool declares what it is about to do, with absolute normalised paths', () => {
    const declared = (name: string, input: unknown) => tool(name).declare(input, at);
    expect(declared('Bash', { command: 'ls' })).toEqual([{ kind: 'shell', command: 'ls', cwd: '/w/sub' }]);
    expect(declared('Read', { file_path: '../x//y/./z' })).toEqual([{ kind: 'read', path: '/w/x/y/z' }]);
    expect(declared('Write', { file_path: '/a/../b', content: '' })).toEqual([{ kind: 'edit', path: '/b' }]);
    expect(declared('Edit', { file_path: '~/x' })).toEqual([{ kind: 'edit', path: '/home/p/x' }]);
    expect(declared('NotebookEdit', { notebook_path: 'n.ipynb' })).toEqual([{ kind: 'edit', path: '/w/sub/n.ipynb' }]);
    expect(declared('Glob', { pattern: '*' })).toEqual([{ kind: 'search', path: '/w/sub' }]);
    expect(declared('Grep', { pattern: 'x', path: '..' })).toEqual([{ kind: 'search', path: '/w' }]);
    expect(declared('TodoWrite', { todos: [] })).toEqual([{ kind: 'session' }]);
    expect(declared('WebFetch', { url: 'HTTP://Example.COM' })).toEqual([
      { kind: 'fetch', url: 'http://example.com/' },
    ]);
  });

  it('LC-22 SF-14: read-only tools may run in parallel', () => {
    const together = BUILT_IN_TOOLS.filter((one) => one.concurrent).map(({ name }) => name);
    expect(together).toEqual(['Read', 'Glob', 'Grep', 'WebFetch']);
  });

  it('LC-23 SF-14: an unknown tool is answered with the nearest names; aliases are found', () => {
    expect(unknownTool('bash', BUILT_IN_TOOLS)).toBe('There is no tool "bash". Nearest: Bash.');
    expect(unknownTool('read_file', BUILT_IN_TOOLS)).toContain('Nearest: Read');
    expect(unknownTool('Qwertyuiop', BUILT_IN_TOOLS)).toContain('Available: Bash, Read');
    expect(nearestNames('Gerp', ['Grep', 'Glob', 'Bash'])).toEqual(['Grep']);
    // Three changes are too many for six letters; two neighbours that changed places are one change.
    expect(nearestNames('kitten', ['sitting', 'kitting'])).toEqual(['kitting']);
    expect(nearestNames('abyz', ['aXyX', 'bayz'])).toEqual(['bayz', 'aXyX']);
    const aliased = custom('Agent', ['Task']);
    expect(findTool([aliased], 'Task')).toBe(aliased);
    expect(findTool([aliased, custom('Task')], 'Task')?.name).toBe('Task');
    expect(findTool([aliased], 'task')).toBeUndefined();
  });
});

describe("SF-14: a model's input", () => {
  const parse = (name: string, raw: unknown) => tool(name).parse(raw);

  it('SF-14: unknown fields are dropped; numbers, booleans, null as text are understood', () => {
    const input = { file_path: 'a', offset: '5', limit: ' 10 ', pages: null, surprise: 1 };
    expect(parse('Read', input)).toEqual({ ok: true, input: { file_path: 'a', offset: 5, limit: 10 } });
    const edit = { file_path: 'a', old_string: 1, new_string: 'y', replace_all: 'True' };
    expect(parse('Edit', edit)).toEqual({
      ok: true,
      input: { file_path: 'a', old_string: '1', new_string: 'y', replace_all: true },
    });
    expect(parse('Read', '{"file_path":"a"}')).toEqual({ ok: true, input: { file_path: 'a' } });
  });

  it('SF-14: what is not certain is refused, with the field, what came and what was expected', () => {
    const reason = (name: string, raw: unknown) => {
      const parsed = parse(name, raw);
      return parsed.ok ? 'ok' : parsed.reason;
    };
    expect(reason('Read', { file_path: 'a', offset: 'five' })).toContain(
      '"offset": expected a number, got the string "five"',
    );
    expect(reason('Read', { file_path: 'a', offset: '' })).toContain('"offset": expected a number');
    expect(reason('Read', { file_path: 'a', offset: 1.5 })).toContain('"offset": expected a whole number');
    expect(reason('Read', { file_path: 'a', limit: 0 })).toContain('"limit": expected at least 1, got the number 0');
    expect(reason('Read', {})).toContain('"file_path" is missing: expected a string');
    expect(reason('Read', { filePath: 'a' })).toContain('There is a field "filePath"; did you mean "file_path"?');
    expect(reason('Read', { file_path: ['a'] })).toContain('got an array');
    expect(reason('Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: 'maybe' })).toContain(
      'expected a boolean',
    );
    expect(reason('Grep', { pattern: 'x', output_mode: 'lines' })).toContain('expected one of "content"');
    for (const raw of [[], 'text', 7]) expect(reason('Read', raw)).toContain('must be an object');
    expect(reason('Read', null)).toContain('"file_path" is missing');
  });

  it('SF-14: an input is not changed by reading it', () => {
    const raw = { todos: [{ content: 'a', status: 'pending', activeForm: null }] };
    const before = structuredClone(raw);
    expect(parse('TodoWrite', raw).ok).toBe(true);
    expect(raw).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
    parse('Read', JSON.parse('{"__proto__":{"polluted":1},"file_path":3}'));
    expect({}).not.toHaveProperty('polluted');
  });
});
