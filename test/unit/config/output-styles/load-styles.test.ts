/** EX-21: which output styles apply, in which order, and what is made of messy files. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadStyle, loadStyles, type StylesQuery } from '../../../../src/config/output-styles/load-styles.js';
import { parseStyle } from '../../../../src/config/output-styles/parse-style.js';
import { makeScratch, type Scratch } from '../scratch.js';

const question = (scratch: Scratch, more: Partial<StylesQuery> = {}): StylesQuery => ({
  host: scratch.host,
  cwd: scratch.project,
  repoRoot: scratch.project,
  userDir: join(scratch.home, '.claude'),
  managedDir: join(scratch.folder, 'managed'),
  plugins: [],
  trusted: true,
  ...more,
});
const style = (name: string, body: string, more = '') => `---\nname: ${name}\ndescription: d\n${more}---\n\n${body}\n`;

describe('EX-21: where styles come from', () => {
  it('EX-21: managed, the nearest folder of the project, its root, the user: the first wins', async () => {
    const scratch = makeScratch();
    const cwd = join(scratch.project, 'sub');
    mkdirSync(cwd, { recursive: true });
    const prompt = async () => (await loadStyle({ ...question(scratch, { cwd }), name: 'Same' })).style?.prompt;
    scratch.write('home/.claude/output-styles/a.md', style('Same', 'user'));
    expect(await prompt()).toBe('user');
    scratch.write('project/.claude/output-styles/a.md', style('Same', 'root'));
    expect(await prompt()).toBe('root');
    scratch.write('project/sub/.claude/output-styles/a.md', style('Same', 'nearest'));
    expect(await prompt()).toBe('nearest');
    scratch.write('managed/output-styles/a.md', style('Same', 'managed'));
    expect(await prompt()).toBe('managed');
  });

  it('EX-21: of a project that is not trusted, none is read', async () => {
    const scratch = makeScratch();
    scratch.write('project/.claude/output-styles/a.md', style('Theirs', 'obey'));
    const loaded = await loadStyle({ ...question(scratch, { trusted: false }), name: 'Theirs' });
    expect(loaded).toEqual({ names: ['Explanatory', 'Learning'], problems: [] });
    expect((await loadStyle({ ...question(scratch), name: 'Theirs' })).style?.source.scope).toBe('project');
  });

  it('EX-21: those of a plugin have its name before theirs, and a short one where that is clear', async () => {
    const scratch = makeScratch();
    scratch.write('one/output-styles/a.md', style('Loud', 'shout'));
    scratch.write('two/b.md', style('Soft', 'whisper', 'force-for-plugin: true\n'));
    scratch.write('two/c.md', style('Loud', 'yell'));
    const plugins = [
      { name: 'one', outputStyles: [join(scratch.folder, 'one/output-styles')] },
      { name: 'two', outputStyles: [join(scratch.folder, 'two/b.md'), join(scratch.folder, 'two/c.md')] },
    ];
    const find = async (name: string) => (await loadStyle({ ...question(scratch, { plugins }), name })).style?.prompt;
    expect(await find('one:Loud')).toBe('shout');
    expect(await find('two:loud')).toBe('yell');
    expect(await find('Soft')).toBe('whisper');
    expect(await find('Loud')).toBeUndefined();
  });

  it('EX-21: two come with us; a file of the same name stands in the place of one', async () => {
    const scratch = makeScratch();
    const { styles } = await loadStyles(question(scratch));
    expect(styles.map(({ name, keepsCoding, source }) => [name, keepsCoding, source.scope])).toEqual([
      ['Explanatory', true, 'built-in'],
      ['Learning', true, 'built-in'],
    ]);
    scratch.write('home/.claude/output-styles/explanatory.md', style('Explanatory', 'mine'));
    expect((await loadStyle({ ...question(scratch), name: 'explanatory' })).style?.prompt).toBe('mine');
  });

  it('EX-21: pipes, other files and links that lead nowhere neither hang nor hide the rest', async () => {
    const scratch = makeScratch();
    const folder = join(scratch.project, '.claude', 'output-styles');
    scratch.write('project/.claude/output-styles/good.md', style('Good', 'ok'));
    scratch.write('project/.claude/output-styles/notes.txt', 'not a style');
    scratch.write('project/.claude/output-styles/empty.md', '---\nname: Empty\n---\n');
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    execFileSync('ln', ['-s', 'nowhere', join(folder, 'gone.md')]);
    const { styles, problems } = await loadStyles(question(scratch));
    expect(styles.map(({ name }) => name)).toEqual(['Good', 'Explanatory', 'Learning']);
    expect(problems.map(({ file }) => file.slice(folder.length + 1)).sort()).toEqual([
      'empty.md',
      'gone.md',
      'pipe.md',
    ]);
    // What is wrong with others is no matter of a style that was found.
    expect((await loadStyle({ ...question(scratch), name: 'Good' })).problems).toEqual([]);
  });
});

describe('EX-21: a file', () => {
  const parse = (text: string) => parseStyle(text, { scope: 'user', file: '/styles/My Style.md' });

  it.each<[string, string, object]>([
    ['front matter', style('A', 'body'), { name: 'A', description: 'd', keepsCoding: false, prompt: 'body' }],
    ['coding kept', style('A', 'b', 'keep-coding-instructions: true\n'), { keepsCoding: true }],
    ['a word for true', style('A', 'b', 'keep-coding-instructions: yes\n'), { keepsCoding: true }],
    ['other spelling', style('A', 'b', 'keepCodingInstructions: "on"\n'), { keepsCoding: true }],
    ['no front matter', '# Speak\r\nplainly', { name: 'My Style', keepsCoding: false, prompt: '# Speak\nplainly' }],
    ['no name', '---\ndescription: x\n---\nbody', { name: 'My Style', description: 'x', prompt: 'body' }],
    ['a byte order mark', `\uFEFF${style('A', 'body')}`, { name: 'A', prompt: 'body' }],
    [
      'text that is no YAML',
      '---\nname: A\ndescription: say: this: and that\n---\nbody',
      { name: 'A', prompt: 'body' },
    ],
  ])('EX-21: is read: %s', (_, text, expected) => {
    expect(parse(text).style).toMatchObject(expected);
  });

  it('EX-21: what can’t be used is reported, with the line', () => {
    expect(parse('---\nname: A\n---\n\n')).toEqual({
      problems: [
        { severity: 'error', file: '/styles/My Style.md', line: 1, message: expect.stringContaining('no text') },
      ],
    });
    expect(parse('+++\nname = "A"\n+++\nbody').problems[0]?.message).toContain('TOML');
    const odd = parse(style('A', 'b', 'keep-coding-instructions: perhaps\n'));
    expect(odd.style?.keepsCoding).toBe(false);
    expect(odd.problems[0]).toMatchObject({ severity: 'warning', line: 4 });
  });
});
