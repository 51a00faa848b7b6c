/** CL-7: nothing that an editor offers or says widens what may be read, written, run or skipped. */

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  choose,
  connectEditor,
  type EditorOptions,
  setAcpStage,
  type TestEditor,
} from '../../../program/cli/acp/acp-stage.js';
import { scratchFolder } from '../../../support/scratch.js';
import { until } from '../../../support/until.js';

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

/** An editor that gives and takes every file it is asked about. */
function openHanded() {
  const touched: string[] = [];
  const options: EditorOptions = {
    capabilities: FILES,
    read: async ({ path }) => {
      touched.push(path);
      return `${await readFile(path, 'utf8')}from the editor\n`;
    },
    write: async ({ path, content }) => {
      touched.push(path);
      await writeFile(path, content);
    },
  };
  return { touched, options };
}

const titles = (editor: TestEditor) => editor.asked.map(({ toolCall }) => toolCall.title);

describe('files of the editor', () => {
  it('CL-7: what is denied, protected, or really elsewhere stays so, and the editor is not even asked for it', async () => {
    const outside = await scratchFolder();
    await writeFile(join(outside, 'out.txt'), 'OUTSIDE\n');
    const input = (file_path: string) => ({ tool: 'Read', input: { file_path } });
    const stage = await setAcpStage([
      {
        when: { user: 'go' },
        reply: [
          input('secret.txt'),
          input('alias.txt'),
          input('link.txt'),
          input('folder/out.txt'),
          input(join(outside, 'out.txt')),
          { tool: 'Write', input: { file_path: '.claude/settings.json', content: '{}' } },
          { tool: 'Write', input: { file_path: 'folder/new.txt', content: 'x' } },
          { tool: 'Write', input: { file_path: '.git/hooks/pre-commit', content: 'x' } },
        ],
      },
      { reply: 'Done.' },
    ]);
    await stage.settings({ permissions: { deny: ['Read(./secret.txt)'] } });
    await stage.write('secret.txt', 'SECRET\n');
    await mkdir(join(stage.folder, '.git', 'hooks'), { recursive: true });
    await symlink(join(stage.folder, 'secret.txt'), join(stage.folder, 'alias.txt'));
    await symlink(join(outside, 'out.txt'), join(stage.folder, 'link.txt'));
    await symlink(outside, join(stage.folder, 'folder'));
    const { touched, options } = openHanded();
    const editor = await connectEditor(stage, { ...options, args: ['--permission-mode', 'acceptEdits'] });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    const sent = JSON.stringify(stage.sim.requests.at(-1)?.body);
    expect(sent).not.toContain('SECRET');
    expect(sent).not.toContain('OUTSIDE');
    expect(touched).toEqual([]);
    // Each that is not denied outright was asked about, and no was the answer.
    expect(titles(editor)).toHaveLength(6);
    for (const name of ['.claude/settings.json', '.git/hooks/pre-commit'])
      await expect(stage.read(name)).rejects.toThrow('ENOENT');
    await expect(readFile(join(outside, 'new.txt'))).rejects.toThrow('ENOENT');
    // What the user sees of a change never comes from elsewhere either.
    const shown = JSON.stringify(editor.all(sessionId));
    expect(shown).not.toContain('OUTSIDE');
  });

  it("CL-7: one that gives another file's text changes nothing but what that file seems to hold", async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      {
        when: { result: { tool: 'Read' } },
        reply: [{ tool: 'Edit', input: { file_path: 'a.txt', old_string: 'other', new_string: 'changed' } }],
      },
      { reply: 'Done.' },
    ]);
    await stage.write('a.txt', 'mine\n');
    const other = await stage.write('b.txt', 'other\n');
    const editor = await connectEditor(stage, {
      capabilities: FILES,
      answer: () => choose('allow'),
      read: () => readFile(other, 'utf8'),
      // It claims to have written, and wrote elsewhere.
      write: async () => void (await writeFile(join(stage.folder, 'c.txt'), 'elsewhere')),
    });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    expect(await stage.read('a.txt')).toBe('changed\n');
    expect(await stage.read('b.txt')).toBe('other\n');
  });
});

describe('links in prompts', () => {
  it('CL-7: files elsewhere and denied ones are not read for a link, addresses are not fetched', async () => {
    const outside = await scratchFolder();
    await writeFile(join(outside, 'out.txt'), 'OUTSIDE\n');
    const stage = await setAcpStage([{ reply: 'Seen.' }]);
    await stage.settings({ permissions: { deny: ['Read(./secret.txt)'] } });
    await stage.write('secret.txt', 'SECRET\n');
    await symlink(join(stage.folder, 'secret.txt'), join(stage.folder, 'alias.txt'));
    const { touched, options } = openHanded();
    const editor = await connectEditor(stage, options);
    const { sessionId } = await editor.open();
    const link = (uri: string, name = 'x') => ({ type: 'resource_link' as const, uri, name });
    const own = stage.sim.requests.length;
    await editor.prompt(sessionId, [
      { type: 'text', text: 'Look:' },
      link(pathToFileURL(join(stage.folder, 'secret.txt')).href),
      link(pathToFileURL(join(stage.folder, 'alias.txt')).href),
      link(pathToFileURL(join(outside, 'out.txt')).href),
      link('file://host/share/secret.txt', '@secret.txt'),
      link(`${stage.sim.url}/fetched`),
    ]);
    const sent = JSON.stringify(stage.sim.requests.map(({ body }) => body));
    expect(sent).not.toContain('SECRET');
    expect(sent).not.toContain('OUTSIDE');
    expect(touched).toEqual([]);
    expect(stage.sim.requests.length - own).toBe(1);
  });
});

describe('policy', () => {
  it('CL-7: bypass is there only when started with it, and never where it is switched off', async () => {
    const stage = await setAcpStage([{ reply: 'Hi.' }]);
    const with_ = await connectEditor(stage, { args: ['--permission-mode', 'bypassPermissions'] });
    const opened = await with_.open();
    expect(opened.modes?.currentModeId).toBe('bypassPermissions');
    const mode = (editor: TestEditor, sessionId: string, modeId: string) =>
      editor.agent.request('session/set_mode', { sessionId, modeId });
    await mode(with_, opened.sessionId, 'default');
    await mode(with_, opened.sessionId, 'bypassPermissions');
    await writeFile(
      join(stage.home, 'managed.json'),
      JSON.stringify({ permissions: { disableBypassPermissionsMode: 'disable' } }),
    );
    const off = await connectEditor(stage, { args: ['--permission-mode', 'bypassPermissions'] });
    await expect(off.open()).rejects.toMatchObject({
      message: expect.stringContaining('disableBypassPermissionsMode'),
    });
    const plain = await connectEditor(stage);
    const { sessionId, modes } = await plain.open();
    expect(modes?.availableModes.map(({ id }) => id)).not.toContain('bypassPermissions');
    await expect(mode(plain, sessionId, 'bypassPermissions')).rejects.toMatchObject({ code: -32602 });
  });

  it('CL-7: servers of the editor follow the managed policy: what may not run is not started, and this is reported', async () => {
    for (const policy of [{ deniedMcpServers: [{ serverName: 'mine' }] }, { allowedMcpServers: [] }]) {
      const stage = await setAcpStage([{ reply: 'Hi.' }]);
      await writeFile(join(stage.home, 'managed.json'), JSON.stringify(policy));
      const editor = await connectEditor(stage);
      const { sessionId } = await editor.open({
        mcpServers: [{ name: 'mine', command: '/bin/sh', args: ['-c', 'touch started; sleep 600'], env: [] }],
      });
      expect(await editor.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' });
      await until(() => JSON.stringify(editor.all(sessionId)).includes('mine'), 'a word about it');
      await expect(stage.read('started')).rejects.toThrow('ENOENT');
    }
  });

  it('CL-7: "always" keeps just the rule that was offered, where it says', async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'touch made.txt' } }] },
      { when: { user: 'more' }, reply: [{ tool: 'Bash', input: { command: 'touch other.txt' } }] },
      { reply: 'Done.' },
    ]);
    const editor = await connectEditor(stage, {
      answer: ({ options }) =>
        choose(options.find(({ optionId }) => optionId.endsWith('-local'))?.optionId ?? 'reject'),
    });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    const chosen = editor.asked[0]?.options.find(({ optionId }) => optionId.endsWith('-local'));
    expect(chosen).toMatchObject({ kind: 'allow_always', name: expect.stringContaining('touch made.txt') });
    expect(editor.asked[0]?.toolCall.rawInput).toEqual({ command: 'touch made.txt' });
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain('```\\ntouch made.txt\\n```');
    const kept = JSON.parse(await stage.read('.claude/settings.local.json'));
    expect(kept).toEqual({ permissions: { allow: ['Bash(touch made.txt)'] } });
    await editor.prompt(sessionId, 'more');
    expect(editor.asked).toHaveLength(2);
  });
});
