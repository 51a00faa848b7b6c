import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPrefix } from '../../../../../../src/front/tui/app/user-keys.js';
import { parseKeys, parseTmuxKey } from '../../../../../../src/front/tui/input/bindings/parse-keys.js';
import { readKeybindings } from '../../../../../../src/front/tui/input/bindings/read-keybindings.js';
import { nodeFiles } from '../../../../../../src/host/node-files.js';
import type { FinishedProcess, Processes } from '../../../../../../src/host/processes.js';
import { scratchFolder } from '../../../../../support/scratch.js';

describe('keybindings.json', () => {
  it('TU-17: an unknown action is reported in one line, and the others apply', () => {
    const text = JSON.stringify({
      $schema: 'https://example.com',
      bindings: [
        {
          context: 'Chat',
          bindings: { 'ctrl+e': 'chat:externalEditor', 'alt+o': 'chat:fastMode', 'ctrl+q': 'x\u001b[31m' },
        },
      ],
    });
    expect(readKeybindings(text)).toEqual({
      bindings: [{ context: 'editor', keys: 'ctrl+e', action: 'chat:externalEditor' }],
      problems: [
        'keybindings.json: unknown action "chat:fastMode" for "alt+o" (ignored)',
        'keybindings.json: unknown action "x\\u{1b}[31m" for "ctrl+q" (ignored)',
      ],
    });
  });

  it.each([
    ['{', 'keybindings.json is not valid JSON. Using the default keys.'],
    ['[]', 'keybindings.json has no list "bindings". Using the default keys.'],
    ['{"bindings":{}}', 'keybindings.json has no list "bindings". Using the default keys.'],
  ])('TU-17: broken as %j it is one line, and the defaults count', (text, problem) => {
    expect(readKeybindings(text)).toEqual({ bindings: [], problems: [problem] });
  });

  it('reports everything else that is ignored', () => {
    const blocks = [
      { context: 'Voice', bindings: { a: 'b' } },
      { context: '__proto__', bindings: {} },
      { bindings: {} },
      { context: 'Global', bindings: { 'ctrl+c': 'app:exit', 'ctrl+foo': 'app:exit', f5: 7, f6: 'app:redraw' } },
    ];
    const { bindings, problems } = readKeybindings(JSON.stringify({ bindings: blocks }));
    expect(bindings).toEqual([{ context: 'global', keys: 'f6', action: 'app:redraw' }]);
    expect(problems).toEqual([
      'keybindings.json: unknown context "Voice" (ignored)',
      'keybindings.json: unknown context "__proto__" (ignored)',
      'keybindings.json: block 3 needs "context" and "bindings" (ignored)',
      `keybindings.json: "ctrl+c" can't be bound (ignored)`,
      'keybindings.json: "ctrl+foo" is not a key (ignored)',
      'keybindings.json: "f5" needs the name of an action or null (ignored)',
    ]);
  });
});

describe('keys as people write them', () => {
  it.each([
    ['Ctrl+K', 'ctrl+k'],
    ['control+shift+C', 'ctrl+shift+c'],
    ['shift+ctrl+alt+up', 'ctrl+alt+shift+up'],
    ['meta+p', 'alt+p'],
    ['option+Return', 'alt+enter'],
    ['cmd+k', 'super+k'],
    ['K', 'K'],
    ['shift+k', 'K'],
    ['alt+shift+k', 'alt+K'],
    ['escape', 'esc'],
    ['ctrl++', 'ctrl++'],
    ['+', '+'],
    ['ctrl+x   ctrl+b', 'ctrl+x ctrl+b'],
    ['ctrl+nothing', undefined],
    ['', undefined],
  ])('%j is %s', (words, keys) => {
    expect(parseKeys(words)).toBe(keys);
  });

  it.each([
    ['C-b', 'ctrl+b'],
    ['C-Space', 'ctrl+space'],
    ['M-a', 'alt+a'],
    ['`', '`'],
    ['None', undefined],
  ])('of tmux: %s is %s', (word, key) => {
    expect(parseTmuxKey(word)).toBe(key);
  });
});

describe('the prefix', () => {
  const answering = (stdout: string, code = 0) =>
    ({ run: async () => ({ code, stdout: Buffer.from(stdout) }) as FinishedProcess }) as unknown as Processes;

  it('TU-17: is what tmux reports', async () => {
    const bin = await scratchFolder();
    writeFileSync(join(bin, 'tmux'), '', { mode: 0o755 });
    const env = { TMUX: '/tmp/tmux', PATH: bin };
    const host = { env, folder: '/usr', files: nodeFiles, processes: answering('C-a\n') };
    expect(await findPrefix(host)).toBe('C-a');
    expect(await findPrefix({ ...host, processes: answering('', 1) })).toBeUndefined();
    expect(await findPrefix({ ...host, env: {} })).toBeUndefined();
  });
});
