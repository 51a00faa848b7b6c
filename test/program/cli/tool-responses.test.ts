/** GT-16, GT-18: what a PostToolUse script reads in `tool_response`, per tool, from the real program. */

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';

beforeAll(buildProgram);

type Call = { readonly tool: string; readonly input: object };
type Heard = { readonly tool_name: string; readonly tool_response: unknown; readonly hook_event_name: string };

const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'NotebookEdit', 'Glob', 'Grep', 'WebFetch', 'Agent'];

/** The model makes the calls one after another; returns what the script heard after each. */
async function responses(calls: (stage: Stage) => readonly Call[]): Promise<{ heard: unknown[]; stage: Stage }> {
  const stage = await setStage();
  const log = join(stage.home, 'calls');
  const hooks = [{ hooks: [{ type: 'command', command: `cat >> ${log}; echo >> ${log}` }] }];
  await stage.settings({ hooks: { PostToolUse: hooks, PostToolUseFailure: hooks } });
  stage.sim.use([
    { when: { said: 'CHILD' }, reply: 'The child is done.' },
    ...calls(stage).map((call, index) => ({ when: { nth: index + 1 }, reply: [call] })),
    { reply: 'done' },
  ]);
  const end = await runProgram(['-p', 'go', '--allowedTools', ...TOOLS], stage.at);
  expect(end).toMatchObject({ code: 0, stdout: 'done\n' });
  const lines = (await readFile(log, 'utf8')).split('\n').filter(Boolean);
  const heard = lines.map((line) => JSON.parse(line) as Heard);
  // The script of the main agent alone; its child makes no calls.
  return { heard: heard.map(({ tool_response }) => tool_response), stage };
}

describe('GT-16, GT-18: tool_response', () => {
  it('Bash: what it wrote, both streams in their order; in the background its task', async () => {
    const { heard } = await responses(() => [
      { tool: 'Bash', input: { command: 'echo out; echo err >&2; echo more' } },
      { tool: 'Bash', input: { command: 'seq 1 40000' } },
      { tool: 'Bash', input: { command: 'true', run_in_background: true } },
      { tool: 'Bash', input: { command: 'echo no; exit 3' } },
    ]);
    expect(heard[0]).toEqual({ stdout: 'out\nerr\nmore', stderr: '', interrupted: false, isImage: false });
    const { stdout } = heard[1] as { stdout: string };
    expect(stdout).toMatch(/^1\n2\n[\s\S]*bytes of output is omitted[\s\S]*\n40000$/);
    expect(stdout.length).toBeLessThan(140_000);
    expect(heard[2]).toEqual({
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      backgroundTaskId: expect.stringMatching(/./),
    });
    // A call that failed is reported by PostToolUseFailure, with its error.
    expect(heard[3]).toBeUndefined();
  });

  it('Write, Edit and NotebookEdit: the file, what it held, and the difference', async () => {
    const cell = { cell_type: 'code', id: 'one', source: ['1'], metadata: {}, outputs: [], execution_count: null };
    const notebook = { cells: [cell], metadata: { language_info: { name: 'r' } }, nbformat: 4, nbformat_minor: 5 };
    const { heard, stage } = await responses(({ folder }) => [
      { tool: 'Write', input: { file_path: join(folder, 'a.txt'), content: 'one\ntwo\n' } },
      { tool: 'Edit', input: { file_path: join(folder, 'a.txt'), old_string: 'two', new_string: 'three' } },
      { tool: 'Write', input: { file_path: join(folder, 'a.txt'), content: 'four\n' } },
      { tool: 'Write', input: { file_path: join(folder, 'n.ipynb'), content: JSON.stringify(notebook) } },
      { tool: 'NotebookEdit', input: { notebook_path: join(folder, 'n.ipynb'), cell_id: 'one', new_source: '2' } },
    ]);
    const filePath = join(stage.folder, 'a.txt');
    expect(heard[0]).toEqual({
      type: 'create',
      filePath,
      success: true,
      content: 'one\ntwo\n',
      originalFile: null,
      structuredPatch: [],
    });
    expect(heard[1]).toEqual({
      filePath,
      success: true,
      oldString: 'two',
      newString: 'three',
      replaceAll: false,
      userModified: false,
      originalFile: 'one\ntwo\n',
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+three'] }],
    });
    expect(heard[2]).toMatchObject({ type: 'update', filePath, content: 'four\n', originalFile: 'one\nthree\n' });
    expect(heard[4]).toEqual({
      notebook_path: join(stage.folder, 'n.ipynb'),
      new_source: '2',
      cell_id: 'one',
      cell_type: 'code',
      edit_mode: 'replace',
      language: 'r',
      error: '',
    });
  });

  it('Read: lines without their numbers, images, notebooks', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
    const { heard, stage } = await responses(({ folder, write }) => {
      void write('lines.txt', 'one\ntwo\nthree\n');
      void writeFile(join(folder, 'p.png'), png);
      void write('n.ipynb', JSON.stringify({ cells: [], nbformat: 4, nbformat_minor: 5 }));
      return [
        { tool: 'Read', input: { file_path: join(folder, 'lines.txt'), offset: 2, limit: 1 } },
        { tool: 'Read', input: { file_path: join(folder, 'p.png') } },
        { tool: 'Read', input: { file_path: join(folder, 'n.ipynb') } },
      ];
    });
    const at = (name: string) => join(stage.folder, name);
    expect(heard[0]).toEqual({
      type: 'text',
      file: { filePath: at('lines.txt'), content: 'two', numLines: 1, startLine: 2, totalLines: 3 },
    });
    const image = { filePath: at('p.png'), base64: png.toString('base64'), type: 'image/png', originalSize: 33 };
    expect(heard[1]).toEqual({ type: 'image', file: image });
    expect(heard[2]).toEqual({ type: 'notebook', file: { filePath: at('n.ipynb'), cells: [] } });
  });

  it('Glob, Grep, TodoWrite, WebFetch and Agent', async () => {
    const server = createServer((_, response) => response.end('a page')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`;
    const todos = [{ content: 'Look', status: 'pending', activeForm: 'Looking' }];
    const { heard, stage } = await responses(({ write }) => {
      void write('a.txt', 'here\nhere too\n');
      return [
        { tool: 'Glob', input: { pattern: '*.txt' } },
        { tool: 'Grep', input: { pattern: 'here' } },
        { tool: 'Grep', input: { pattern: 'here', output_mode: 'content' } },
        { tool: 'Grep', input: { pattern: 'here', output_mode: 'count' } },
        { tool: 'TodoWrite', input: { todos } },
        { tool: 'WebFetch', input: { url } },
        { tool: 'Agent', input: { prompt: 'CHILD', description: 'A child' } },
      ];
    });
    const file = join(stage.folder, 'a.txt');
    expect(heard[0]).toEqual({ filenames: [file], numFiles: 1, truncated: false, durationMs: expect.any(Number) });
    expect(heard[1]).toEqual({ mode: 'files_with_matches', filenames: [file], numFiles: 1 });
    const content = {
      mode: 'content',
      filenames: [],
      numFiles: 0,
      content: 'a.txt:1:here\na.txt:2:here too',
      numLines: 2,
    };
    expect(heard[2]).toEqual(content);
    expect(heard[3]).toMatchObject({ mode: 'count', content: 'a.txt:2', numFiles: 1, numMatches: 2 });
    expect(heard[4]).toEqual({ oldTodos: [], newTodos: todos });
    expect(heard[5]).toMatchObject({
      url,
      code: 200,
      codeText: 'OK',
      bytes: 6,
      result: expect.stringContaining('a page'),
    });
    expect(heard[6]).toMatchObject({
      status: 'completed',
      agentId: expect.any(String),
      agentType: 'general-purpose',
      prompt: 'CHILD',
      content: [{ type: 'text', text: 'The child is done.' }],
      totalToolUseCount: 0,
      totalTokens: expect.any(Number),
      usage: { output_tokens: expect.any(Number) },
    });
  });
});
