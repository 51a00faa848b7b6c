/** CL-7: files of the editor: what is typed and not saved is read, changes go through it, and our rules stay. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../support/scratch.js';
import { expectAllAccepted } from '../../../support/story.js';
import { choose, connectEditor, type EditorOptions, setAcpStage } from './acp-stage.js';

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

/** An editor with windows: what is in one, and what it saves. */
function windows(open: Map<string, string>) {
  const written: string[] = [];
  const options: EditorOptions = {
    capabilities: FILES,
    answer: () => choose('allow'),
    read: async ({ path }) => open.get(path) ?? (await readFile(path, 'utf8')),
    write: async ({ path, content }) => {
      written.push(path);
      open.set(path, content);
      await writeFile(path, content);
    },
  };
  return { written, options };
}

const EDIT = [
  { when: { user: 'fix' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
  {
    when: { result: { tool: 'Read' } },
    reply: [{ tool: 'Edit', input: { file_path: 'a.txt', old_string: 'typed', new_string: 'TYPED' } }],
  },
  { when: { result: { tool: 'Edit', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Edit' } }, reply: 'Fixed.' },
];

describe('files of the editor', () => {
  it('CL-7: Read and Edit see what is not saved yet, and the change goes through the editor', async () => {
    const stage = await setAcpStage(EDIT);
    const path = await stage.write('a.txt', 'saved\n');
    const { written, options } = windows(new Map([[path, 'saved\ntyped\n']]));
    const editor = await connectEditor(stage, options);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'fix');
    expect(editor.said(sessionId)).toBe('Fixed.');
    expect(written).toEqual([path]);
    expect(await stage.read('a.txt')).toBe('saved\nTYPED\n');
    expectAllAccepted(stage.sim);
  });

  it('CL-7: what the user typed after it was read is not written over', async () => {
    const stage = await setAcpStage(EDIT);
    const path = await stage.write('a.txt', 'saved\n');
    const open = new Map([[path, 'saved\ntyped\n']]);
    const { written, options } = windows(open);
    const answer = () => {
      open.set(path, 'saved\ntyped\nand more\n');
      return choose('allow');
    };
    const editor = await connectEditor(stage, { ...options, answer });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'fix');
    expect(editor.said(sessionId)).toMatch(/It failed: .*changed since/s);
    expect(written).toEqual([]);
    expect(open.get(path)).toBe('saved\ntyped\nand more\n');
  });

  it('CL-7: a rewind brings back what was typed, because that is what was kept', async () => {
    const stage = await setAcpStage(EDIT);
    const path = await stage.write('a.txt', 'saved\n');
    const { options } = windows(new Map([[path, 'saved\ntyped\n']]));
    const editor = await connectEditor(stage, options);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'fix');
    await editor.agent.request('session/close', { sessionId });
    const session = await stage.open({ resume: sessionId });
    expect(await session.rewind({ to: 1, part: 'files' })).toMatchObject({ ok: true });
    expect(await stage.read('a.txt')).toBe('saved\ntyped\n');
  });

  it('CL-7: an editor that fails, or keeps it in a window only: the disk has it', async () => {
    for (const write of [() => Promise.reject(new Error('read-only window')), async () => {}]) {
      const stage = await setAcpStage(EDIT);
      await stage.write('a.txt', 'typed\n');
      const read = () => Promise.reject(new Error('no such window'));
      const editor = await connectEditor(stage, { capabilities: FILES, answer: () => choose('allow'), read, write });
      const { sessionId } = await editor.open();
      await editor.prompt(sessionId, 'fix');
      expect(editor.said(sessionId)).toBe('Fixed.');
      expect(await stage.read('a.txt')).toBe('TYPED\n');
    }
  });

  it('CL-7: line endings are kept, a new file is made by the editor, what is not of the project is ours', async () => {
    const outside = join(await scratchFolder(), 'out.txt');
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Read', input: { file_path: 'crlf.txt' } }] },
      {
        when: { result: { tool: 'Read' } },
        reply: [
          { tool: 'Edit', input: { file_path: 'crlf.txt', old_string: 'one', new_string: 'ONE' } },
          { tool: 'Write', input: { file_path: 'deep/new.txt', content: 'new\n' } },
          { tool: 'Write', input: { file_path: outside, content: 'out\n' } },
        ],
      },
      { reply: 'Done.' },
    ]);
    const crlf = await stage.write('crlf.txt', 'one\r\ntwo\r\n');
    const { written, options } = windows(new Map([[crlf, 'one\ntwo\n']]));
    const editor = await connectEditor(stage, options);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    expect(await stage.read('crlf.txt')).toBe('ONE\r\ntwo\r\n');
    expect(await stage.read('deep/new.txt')).toBe('new\n');
    expect(await readFile(outside, 'utf8')).toBe('out\n');
    expect(written).toEqual([crlf, join(stage.folder, 'deep/new.txt')]);
  });
});
