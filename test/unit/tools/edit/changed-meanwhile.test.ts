/** SF-14, GT-28: what somebody else writes to the file between a tool's check and its write is not overwritten. */

import { rename, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { outcomeText } from '../../../../src/protocol/outcome.js';
import { editTool } from '../../../../src/tools/edit/edit.js';
import { writeTool } from '../../../../src/tools/edit/write.js';
import { notebookEditTool } from '../../../../src/tools/notebook/notebook-edit.js';
import { readTool } from '../../../../src/tools/read/read.js';
import type { Tool } from '../../../../src/tools/tool.js';
import { swappingHost } from '../../../support/hosts/swapping-host.js';
import { makeBench } from '../tool-bench.js';

const THEIRS = 'written by somebody else';
const CELL = { cell_type: 'code', id: 'c1', metadata: {}, outputs: [], source: 'old' };
const NOTEBOOK = JSON.stringify({ cells: [CELL], nbformat: 4, nbformat_minor: 5, metadata: {} });

const WAYS: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['in place', (path) => writeFile(path, THEIRS)],
  [
    'as a new file',
    async (path) => {
      await writeFile(`${path}.theirs`, THEIRS);
      await rename(`${path}.theirs`, path);
    },
  ],
];

const CALLS: readonly Call[] = [
  { name: 'Write, a known file', tool: writeTool as Tool, input: { content: 'ours' }, file: 'a.txt', before: 'old' },
  { name: 'Write, a new file', tool: writeTool as Tool, input: { content: 'ours' }, file: 'a.txt' },
  {
    name: 'Edit',
    tool: editTool as Tool,
    input: { old_string: 'old', new_string: 'ours' },
    file: 'a.txt',
    before: 'old',
  },
  {
    name: 'NotebookEdit',
    tool: notebookEditTool as Tool,
    input: { cell_id: 'c1', new_source: 'ours' },
    file: 'a.ipynb',
    before: NOTEBOOK,
  },
];

type Call = { name: string; tool: Tool; input: object; file: string; before?: string };

it.each(WAYS.flatMap(([way, change]) => CALLS.map((call) => [call.name, way, call, change] as const)))(
  'SF-14, GT-28: %s: a change %s, at any step, is kept',
  async (_name, _way, call, change) => {
    let refusals = 0;
    for (let step = 0; ; step += 1) {
      const bench = await makeBench();
      const path = bench.path(call.file);
      if (call.before !== undefined) {
        await bench.write(call.file, call.before);
        await bench.call(readTool as Tool, { file_path: path });
      }
      const { host, steps } = swappingHost(bench.context.host, step, () => change(path));
      const judged = new Map([[path, path]]);
      const end = await bench.call(
        call.tool,
        { ...call.input, file_path: path, notebook_path: path },
        { host, judged },
      );
      if (steps() <= step) break;
      expect(bench.read(call.file), `step ${step}: ${outcomeText(end)}`).toBe(THEIRS);
      if (end.isError) refusals += 1;
    }
    expect(refusals).toBeGreaterThan(1);
  },
);
