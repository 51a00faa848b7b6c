import { describe, expect, it } from 'vitest';
import { notebookEditTool } from '../../../../src/tools/notebook/notebook-edit.js';
import { readTool } from '../../../../src/tools/read/read.js';
import { type Bench, makeBench } from '../tool-bench.js';

const notebook = {
  metadata: { custom: { deep: [1, 2] } },
  cells: [
    {
      source: ['a = 1\n', 'b = 2'],
      id: 'one',
      cell_type: 'code',
      metadata: { tags: ['x'] },
      execution_count: 3,
      outputs: [{ output_type: 'stream', text: 'o' }],
    },
    { source: ['# Ende'], id: 'two', cell_type: 'markdown', metadata: {} },
  ],
  nbformat_minor: 5,
  nbformat: 4,
};

async function withNotebook(text = `${JSON.stringify(notebook, null, 1)}\n`): Promise<Bench> {
  const bench = await makeBench();
  await bench.write('n.ipynb', text);
  await bench.call(readTool, { file_path: 'n.ipynb' });
  return bench;
}

const change = (bench: Bench, input: object) =>
  bench.say(notebookEditTool, { notebook_path: 'n.ipynb', new_source: '', ...input });

describe('SF-14: NotebookEdit', () => {
  it('SF-14: replaces a cell; order, indentation and unknown fields stay', async () => {
    const bench = await withNotebook();
    expect(await change(bench, { cell_id: 'one', new_source: 'c = 3\nd' })).toContain('Replaced cell one');
    const expected = structuredClone(notebook) as { cells: object[] };
    Object.assign(expected.cells[0] ?? {}, { source: ['c = 3\n', 'd'], execution_count: null, outputs: [] });
    expect(bench.read('n.ipynb')).toBe(`${JSON.stringify(expected, null, 1)}\n`);
  });

  it('SF-14: inserts after a cell and at the top, deletes', async () => {
    const bench = await withNotebook(JSON.stringify(notebook, null, '\t'));
    await change(bench, { cell_id: 'one', edit_mode: 'insert', cell_type: 'markdown', new_source: 'mid' });
    await change(bench, { edit_mode: 'insert', cell_type: 'code', new_source: 'top' });
    await change(bench, { cell_id: 'two', edit_mode: 'delete' });
    const text = bench.read('n.ipynb');
    const cells = JSON.parse(text).cells as { source: string[]; id: string; outputs?: unknown[] }[];
    expect(cells.map((cell) => cell.source.join(''))).toEqual(['top', 'a = 1\nb = 2', 'mid']);
    expect(cells[0]).toMatchObject({ outputs: [], execution_count: null, id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(text).toContain('\n\t"cells"');
    expect(text.endsWith('}')).toBe(true);
  });

  it('SF-14: preserves escapes, and accepts positions for ids in old notebooks', async () => {
    const old =
      '{"cells": [{"cell_type": "code", "source": "\\u00fc", "metadata": {}, "outputs": []}], "nbformat": 4, "nbformat_minor": 2}';
    const bench = await withNotebook(old);
    await change(bench, { edit_mode: 'insert', cell_id: 'cell-0', cell_type: 'code', new_source: 'ä' });
    expect(bench.read('n.ipynb')).toContain('"source":"\\u00e4"');
    expect(bench.read('n.ipynb')).not.toContain('"id"');
  });

  it('SF-14: refuses unknown cells, missing fields, other files, unread and changed ones', async () => {
    const bench = await withNotebook();
    expect(await change(bench, { cell_id: 'nine' })).toContain('There is no cell "nine". The notebook has: one, two.');
    expect(await change(bench, {})).toContain('needs a cell_id');
    expect(await change(bench, { edit_mode: 'insert' })).toContain('cell_type');
    expect(await change(bench, { notebook_path: 'x.py' })).toContain('Use Edit');
    expect(await change(bench, { notebook_path: 'none.ipynb', cell_id: 'a' })).toContain('does not exist');
    await bench.write('n.ipynb', '{}');
    expect(await change(bench, { cell_id: 'one' })).toContain('changed since');
    await bench.call(readTool, { file_path: 'n.ipynb' });
    const fresh = await makeBench();
    await fresh.write('n.ipynb', '{}');
    expect(await change(fresh, { cell_id: 'one' })).toContain('has not been read');
    const aborted = { signal: AbortSignal.abort() };
    expect(await bench.say(notebookEditTool, { notebook_path: 'n.ipynb', new_source: '' }, aborted)).toContain(
      'interrupted',
    );
  });
});
