/** What a user sees before saying yes, and the rule a yes becomes (GT-11, GT-20). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destroys } from '../../../src/gate/permissions/destroys.js';
import { stripControls } from '../../../src/gate/permissions/strip-controls.js';
import { suggestRules } from '../../../src/gate/permissions/suggest-rules.js';
import type { Action } from '../../../src/protocol/action.js';
import { escapeControls } from '../../../src/protocol/escape-controls.js';
import fc from '../../support/fast-check.js';
import { commandLine, tokenSoup } from '../../unit/gate/permissions/command-grammar.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

describe('GT-20 made visible', () => {
  it.each([
    ['ls\u001b[2K', 'ls\\u{1b}[2K'],
    ['a\rb', 'a\\rb'],
    ['a\tb', 'a\\tb'],
    ['a\nb', 'a\nb'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['a\u200bb\u00a0c', 'a\\u{200b}b\\u{a0}c'],
    ['a\u{e0041}b', 'a\\u{e0041}b'],
    [`safe${' '.repeat(400)}; rm -rf ~`, 'safe⟨400 spaces⟩; rm -rf ~'],
    [`a${'\n'.repeat(50)}b`, 'a\n⟨49 empty lines⟩\nb'],
    ['é 日本 ok', 'é 日本 ok'],
  ])('GT-20: %j', (text, shown) => expect(escapeControls(text)).toBe(shown));

  it('GT-20: nothing is removed and nothing unseen stays', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const shown = escapeControls(text);
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        for (const char of text) if (/[\p{L}\p{N}\p{P}]/u.test(char)) expect(shown).toContain(char);
      }),
    );
  });
});

describe('GT-20 made inert', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bPq#0;2\u001b\\x', 'x'],
    ['\u009b31mred', 'red'],
    ['\u001b]52;c;abc', ''],
    ['\u001b]0;never ends\nnext line', '\nnext line'],
    ['a\u202eb\u2066c\u2069', 'abc'],
    ['a\r\nb\rc', 'a\nbc'],
    ['👩‍👩‍👧 می‌خواهم', '👩‍👩‍👧 می‌خواهم'],
    ['👩🏽‍💻 🏳️‍🌈', '👩🏽‍💻 🏳️‍🌈'],
    [
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['a\u200d b\u{e0041}', 'a b'],
    ['tab\tand\nline', 'tab\tand\nline'],
  ])('GT-20: %j', (text, inert) => expect(stripControls(text)).toBe(inert));

  it('GT-20: whatever comes in, nothing that moves a cursor goes out, and twice is once', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '\u0007',
        '\\',
        '0;',
        'm',
        '\u009b',
        '\u009c',
        'P',
        '\n',
        'a',
        '\u200d',
        '\u202e',
        '\r',
        '\u001b[',
        'é',
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const inert = stripControls(parts.join(''));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
        expect(inert).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(stripControls(inert)).toBe(inert);
      }),
    );
  });
});

describe('GT-11 what destroys is marked', () => {
  it.each([
    ['rm -rf build', /rm -r/],
    ['ls && rm x', /rm/],
    ['sudo env rm -fr /', /rm -r/],
    ["sh -c 'rm -rf x'", /rm -r/],
    ['git reset --hard HEAD~1', /reset --hard/],
    ['git push --force', /push --force/],
    ['git push -f origin main', /push --force/],
    ['git push origin +main', /push --force/],
    ['git -C x clean -fdx', /git clean/],
    ['git checkout -- .', /git checkout/],
    ['git stash drop', /stash/],
    ['git branch -D x', /branch/],
    ['echo x > important', /overwrites important/],
    ['ls &> out', /overwrites out/],
    ['dd if=a of=/dev/sda', /dd/],
    ['find . -delete', /find -delete/],
    ['echo $(rm -rf x)', /rm -r/],
    ['rm -rf x "', /rm/],
  ])('GT-11: %s', (command, mark) => expect(destroys(command).join(' · ')).toMatch(mark));

  it.each([
    'ls',
    'git push',
    'git status',
    'echo x >> log',
    'ls > /dev/null 2>&1',
    "echo 'rm -rf /'",
    'git clean -n',
    'grep rm f',
  ])('GT-11: %s is not marked', (command) => expect(destroys(command)).toEqual([]));
});

describe('GT-11 the rule a yes becomes', () => {
  let place: Playground;
  beforeAll(async () => {
    place = await makePlayground();
  });
  afterAll(() => place.remove());
  const suggest = (action: Action) => suggestRules({ actions: [action] })[0];

  it('GT-11: covers the command that was shown and no other', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          commandLine.map((made) => made.text),
          tokenSoup,
          fc.constantFrom('ls *', 'npm run:*', 'a (b)', 'x \\* y', 'a\\', 'echo :*', 'echo a *'),
        ),
        fc.constantFrom(' extra', '; other', ' && other', '\nother', 'x', ' > out'),
        async (command, more) => {
          const rule = suggest({ kind: 'shell', command, cwd: place.root });
          if (rule === undefined) return;
          expect((await place.bash(command, { allow: [rule] })).behavior).toBe('allow');
          const alone = await place.bash(command + more);
          if (alone.behavior === 'allow' || (command + more).trim() === command.trim()) return;
          expect((await place.bash(command + more, { allow: [rule] })).behavior).not.toBe('allow');
        },
      ),
      { numRuns: 500 },
    ));

  it('GT-11: covers the one path, host, tool or agent', async () => {
    for (const name of ['a.txt', 'we[i]rd*?.txt', 'sp ace', '(x)', '#x', '!x']) {
      const path = `${place.root}/${name}`;
      const rule = suggest({ kind: 'edit', path });
      if (rule === undefined) throw new Error(name);
      expect((await place.act('Edit', { kind: 'edit', path }, { allow: [rule] })).behavior, rule).toBe('allow');
      expect((await place.act('Edit', { kind: 'edit', path: `${path}2` }, { allow: [rule] })).behavior).toBe('ask');
      expect(
        (await place.act('Edit', { kind: 'edit', path: `${place.root}/weir.txt` }, { allow: [rule] })).behavior,
      ).toBe('ask');
    }
    expect(suggest({ kind: 'fetch', url: 'https://example.com/a' })).toBe('WebFetch(domain:example.com)');
    expect(suggest({ kind: 'mcp', server: 's', tool: 't' })).toBe('mcp__s__t');
    expect(suggest({ kind: 'spawn', type: 'x' })).toBe('Agent(x)');
    expect(suggest({ kind: 'custom', readOnly: false })).toBeUndefined();
  });
});
