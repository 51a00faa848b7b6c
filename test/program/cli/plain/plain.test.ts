/** `coppice --plain` over pipes: what is reported, asked and shown, line by line. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { escapeControls } from '../../../../src/protocol/escape-controls.js';
import type { Rule } from '../../../../src/sim/index.js';
import { count, setPlainStage } from './plain-stage.js';

/** Rows of the corpus, kind terminal-output. */
const HOSTILE = [
  '\u001b[2J\u001b[H',
  '\u001b]52;c;cm0gLXJmIC8=\u0007',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil\u0007text\u001b]8;;\u0007',
  '\u001bP+q544e\u001b\\',
  '\u001b[6n',
  `safe${' '.repeat(400)}; rm -rf ~`,
  'safe\r\u001b[2Krm',
  'a\tb\b\b',
  'invoice\u202egpj.sh',
  'zero\u200bwidth',
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const CALLS = (tool: string, input: unknown): Rule[] => [
  { when: { result: { tool, error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool, input }] },
];

describe('a line-based session over pipes', () => {
  it('SF-17: prompts one after another, commands, and the end of the input as a goodbye', async () => {
    const stage = await setPlainStage([
      { when: { user: 'second' }, reply: 'Two.' },
      { when: { user: 'first' }, reply: 'One.' },
    ]);
    const plain = stage.pipe();
    for (const line of ['first', '', 'second', '/model', '/cost', '/hepl', '/mode plan', '/mode nowhere'])
      plain.say(line);
    expect(await plain.end()).toBe(0);
    const shown = plain.stdout();
    expect(shown).toMatch(/One\.\nTwo\.\nclaude-.*\n\$0\.\d+ · 2 turns/);
    expect(shown).toContain('Unknown command /hepl. Did you mean /help');
    expect(shown).toContain('mode: plan\n');
    expect(shown).toContain("the mode can't be nowhere");
    const transcript = /Transcript: (.*)\n/.exec(shown)?.[1] ?? '';
    expect(await readFile(transcript, 'utf8')).toContain('first');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no sequence at all in a pipe.
    expect(shown).not.toMatch(/\u001b/);
  });

  it('SF-17: /context reports what takes up the window, before and after the first prompt', async () => {
    const stage = await setPlainStage([{ reply: 'One.' }]);
    await stage.write('CLAUDE.md', 'Measure twice.');
    const plain = stage.pipe();
    plain.say('/context');
    await plain.until('all estimated');
    plain.say('hello');
    await plain.until('One.');
    plain.say('/context');
    expect(await plain.end()).toBe(0);
    const [, before, after] = plain.stdout().split(/(?<![\d,])(?=[\d,]+ of 1,000,000 tokens)/);
    expect(before).toMatch(
      /^[\d,]+ of 1,000,000 tokens \(\d+%\) of claude-opus-5-5, all estimated\n {2}system prompt +[\d,]+\n/,
    );
    expect(before).toMatch(/ {2}instructions +\d+ {2}\S+CLAUDE\.md\n/);
    expect(after).not.toContain('all estimated');
    expect(after).toMatch(/ {2}conversation +[1-9][\d,]*\n {2}Auto-compact at [\d,]+ tokens/);
  });

  it('GT-5: a running session can not be put in bypassPermissions', async () => {
    const stage = await setPlainStage([]);
    const plain = stage.pipe();
    plain.say('/mode bypassPermissions');
    plain.say('/mode');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('requested at the start');
    expect(plain.stdout()).toContain('default (available: default, acceptEdits, plan, dontAsk)');
  });

  it('SF-17: calls and results in a line each, edits with a short diff', async () => {
    const stage = await setPlainStage([
      { when: { result: { tool: 'Edit' } }, reply: 'Changed.' },
      {
        when: { result: { tool: 'Read' } },
        reply: [{ tool: 'Edit', input: { file_path: 'notes.txt', old_string: 'two', new_string: 'TWO' } }],
      },
      { when: { user: /^go\b/m }, reply: [{ tool: 'Read', input: { file_path: 'notes.txt' } }] },
    ]);
    await stage.write('notes.txt', 'one\ntwo\nthree\n');
    const plain = stage.pipe(['--plain', '--permission-mode', 'acceptEdits', 'go']);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(/\* Read: notes\.txt\n {2}Read done: .*\(\+2 lines\)\n/);
    expect(plain.stdout()).toMatch(/\* Edit: notes\.txt\n {2}Edit done: .*\n {4}- two\n {4}\+ TWO\nChanged\./);
    expect(await stage.read('notes.txt')).toBe('one\nTWO\nthree\n');
  });

  it('SF-17: thinking is shown with --verbose only', async () => {
    const rules: Rule[] = [{ reply: [{ thinking: 'Let me ponder.' }, 'Done.'] }];
    const quiet = (await setPlainStage(rules)).pipe(['--plain', 'go']);
    await quiet.end();
    expect(quiet.stdout()).not.toContain('ponder');
    const verbose = (await setPlainStage(rules)).pipe(['--plain', '--verbose', 'go']);
    await verbose.end();
    expect(verbose.stdout()).toMatch(/Let me ponder\.\nDone\.\n/);
  });

  it('SF-3: a fault is a line, and the session continues', async () => {
    const stage = await setPlainStage([{ fault: { kind: 'overloaded', times: 1 }, reply: 'Here after all.' }]);
    const plain = stage.pipe(['--plain', 'go']);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(/! .*retrying[\s\S]*Here after all\./);
  });

  it('SF-3: no key: how to set one, and exit 1', async () => {
    const stage = await setPlainStage([]);
    const plain = stage.pipe(['--plain'], { ANTHROPIC_API_KEY: '' });
    expect(await plain.end()).toBe(1);
    expect(plain.stderr()).toContain('ANTHROPIC_API_KEY');
    expect(plain.stderr()).toContain('coppice demo');
  });

  it('SF-1: --plain and a format for programs exclude each other', async () => {
    const stage = await setPlainStage([]);
    for (const args of [
      ['--plain', '-p', 'x'],
      ['--plain', '--output-format', 'json'],
    ]) {
      const plain = stage.pipe(args);
      expect(await plain.end()).toBe(2);
      expect(plain.stderr()).toContain('--plain');
    }
  });

  it('SF-17: an interrupt signal ends the work, a second one leaves with 130', async () => {
    const stage = await setPlainStage([
      { when: { user: 'talk' }, reply: 'Endless words. '.repeat(20), fault: { kind: 'silence', at: 5 } },
    ]);
    const plain = stage.pipe(['--plain', 'talk']);
    await plain.until('Endless');
    plain.child.kill('SIGINT');
    await plain.until('(interrupted)');
    plain.child.kill('SIGINT');
    expect(await plain.ended).toBe(130);
    expect(plain.stdout()).toContain('Transcript: ');
  });

  it('SF-17: a request to end is followed at once, with the work kept', async () => {
    const stage = await setPlainStage([
      { when: { user: 'talk' }, reply: 'Endless words. '.repeat(20), fault: { kind: 'silence', at: 5 } },
    ]);
    const plain = stage.pipe(['--plain', 'talk']);
    await plain.until('Endless');
    plain.child.kill('SIGTERM');
    expect(await plain.ended).toBe(143);
    const transcript = /Transcript: (.*)\n/.exec(plain.stdout())?.[1] ?? '';
    expect(await readFile(transcript, 'utf8')).toContain('Endless');
  });

  it('GT-11: always in this project is offered with the rule, and the same is not asked again', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'touch made' }));
    const plain = stage.pipe(['--plain', 'go']);
    await plain.until(
      'a  always in this session: Bash(touch made)\n  p  the same, always in this project (local settings)\n',
    );
    plain.say('p');
    plain.say('go again');
    expect(await plain.end()).toBe(0);
    expect(count(plain.stdout(), 'asks to use Bash')).toBe(1);
    expect(count(plain.stdout(), 'It worked.')).toBe(2);
    expect(JSON.parse(await stage.read('.claude/settings.local.json'))).toMatchObject({
      permissions: { allow: ['Bash(touch made)'] },
    });
  });

  it('GT-11: a prefix and all edits are offered, each with what it covers, and apply once chosen', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'make test -s' }));
    await stage.write('Makefile', 'test:\n\techo tested\n');
    const plain = stage.pipe(['--plain', '--trust', 'go']);
    await plain.until(
      'a2 always in this session: Bash(make test:*)\n  p2 the same, always in this project (local settings)\n',
    );
    plain.say('a3');
    plain.say('p2');
    plain.say('go again');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('That is not one of the choices.');
    expect(count(plain.stdout(), 'asks to use Bash')).toBe(1);
    expect(JSON.parse(await stage.read('.claude/settings.local.json'))).toMatchObject({
      permissions: { allow: ['Bash(make test:*)'] },
    });
    const edits = await setPlainStage(CALLS('Write', { file_path: 'made.txt', content: 'x' }));
    const editing = edits.pipe(['--plain', 'go']);
    await editing.until('e  auto-accept edits in this session (mode acceptEdits)');
    editing.say('e');
    await editing.until('It worked.');
    editing.say('/mode');
    await editing.until('acceptEdits (available');
    expect(await editing.end()).toBe(0);
    expect(await edits.read('made.txt')).toBe('x');
  });

  it('GT-13: when the input ends, a question is a no that the model is notified of', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'touch made' }));
    const plain = stage.pipe(['--plain', 'go']);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('nobody can answer');
    expect(plain.stdout()).toContain('It failed: Permission denied');
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it('GT-11: what a command destroys is marked', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'git reset --hard && echo x > notes' }));
    const plain = stage.pipe(['--plain', 'go']);
    await plain.end();
    expect(plain.stdout()).toContain('  ! throws away uncommitted work (git reset --hard)');
    expect(plain.stdout()).toContain('  ! overwrites notes');
  });

  it('GT-11: the exact command is shown whole, every line of it behind a margin no text can imitate', async () => {
    const command = `echo start\nAllow it?\n  y  yes, once\n${'echo a very long line; '.repeat(40)}\nrm -rf /tmp/nothing-here`;
    const stage = await setPlainStage(CALLS('Bash', { command }));
    const plain = stage.pipe(['--plain', 'go']);
    await plain.end();
    for (const line of command.split('\n')) expect(plain.stdout()).toContain(`\n  | ${line}\n`);
    expect(count(plain.stdout(), '\nAllow it?\n')).toBe(1);
  });

  it('GT-11: an edit is asked for with all it changes; a long one whole on request', async () => {
    const content = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n');
    const stage = await setPlainStage(CALLS('Write', { file_path: 'long.txt', content }));
    const plain = stage.pipe(['--plain', 'go']);
    plain.say('w');
    plain.say('n');
    await plain.end();
    const [short = '', whole = ''] = plain.stdout().split('w  show all\n');
    expect(short).toContain('  | + line 59\n  … 140 more lines (w shows all)');
    expect(whole).toContain('  | + line 199\n');
  });

  it('GT-20: hostile characters in a command are written out, never removed and never active', async () => {
    const rules = HOSTILE.map((hostile, n): Rule => {
      return { when: { user: `go ${n}.` }, reply: [{ tool: 'Bash', input: { command: `touch ${hostile}; true` } }] };
    });
    const stage = await setPlainStage([{ when: { result: 'said no' }, reply: 'Not then.' }, ...rules]);
    const plain = stage.pipe();
    HOSTILE.forEach((_, n) => {
      plain.say(`go ${n}.`);
      plain.say('n');
    });
    expect(await plain.end()).toBe(0);
    for (const hostile of HOSTILE) expect(plain.stdout()).toContain(`\n  | touch ${escapeControls(hostile)}; true\n`);
    expect(count(plain.stdout(), 'Not then.')).toBe(HOSTILE.length);
    expect(plain.stdout()).not.toMatch(ACTIVE);
  });

  it('GT-20: hostile characters in replies, tool output and file names reach no terminal', async () => {
    const all = HOSTILE.join(' and ');
    const stage = await setPlainStage([
      { when: { result: { tool: 'Read' } }, reply: `I saw ${all}.` },
      {
        when: { user: /^go\b/m },
        reply: [`Now ${all}`, { tool: 'Read', input: { file_path: `no\u001b[2J\u202efile` } }],
      },
    ]);
    const plain = stage.pipe(['--plain', '--verbose', 'go']);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).not.toMatch(ACTIVE);
    expect(plain.stdout()).toContain('* Read: no\\u{1b}[2J\\u{202e}file');
    expect(plain.stdout()).toContain('rm -rf ~');
    const found = await setPlainStage([
      { when: { result: { tool: 'Read' } }, reply: 'Read.' },
      { when: { user: /^go\b/m }, reply: [{ tool: 'Read', input: { file_path: 'evil.txt' } }] },
    ]);
    await found.write('evil.txt', HOSTILE.join('\n'));
    const reading = found.pipe(['--plain', '--verbose', 'go']);
    expect(await reading.end()).toBe(0);
    expect(reading.stdout()).toContain('Read done');
    expect(reading.stdout()).not.toMatch(ACTIVE);
  });
});

describe('trust', () => {
  const SETTINGS = JSON.stringify({
    permissions: { allow: ['Bash(touch made)'] },
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] },
  });

  it('GT-2: a folder with files that take effect is asked about once, with what they do; a yes is saved', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'touch made' }));
    await stage.write('.claude/settings.json', SETTINGS);
    await stage.write('.mcp.json', '{"mcpServers": {"files": {"command": "no-such-server", "args": ["a b"]}}}');
    await stage.write('.claude/agents/helper.md', '---\nname: helper\ndescription: helps\n---\nHelp.');
    const first = stage.pipe(['--plain', 'go']);
    first.say('maybe');
    first.say('y');
    expect(await first.end()).toBe(0);
    const shown = first.stdout();
    expect(shown).toContain('Do you trust this folder?');
    expect(shown).toContain('.claude/settings.json');
    expect(shown).toContain('    | SessionStart\n    |   runs touch hook-ran\n');
    expect(shown).toContain('y  yes, from now on, with exactly the hooks and MCP servers shown');
    expect(shown).toContain('"Bash(touch made)"');
    expect(shown).toContain('  .mcp.json\n    | files\n    |   runs no-such-server "a b"\n');
    expect(shown).toContain('agent helper.md');
    expect(shown).toContain('not one of the choices');
    expect(shown).toContain('It worked.');
    expect(await stage.read('hook-ran')).toBe('');
    const second = stage.pipe(['--plain']);
    expect(await second.end()).toBe(0);
    expect(second.stdout()).not.toContain('trust this folder');
  });

  it('GT-2: no continues without them, and is asked again next time', async () => {
    const stage = await setPlainStage(CALLS('Bash', { command: 'touch made' }));
    await stage.write('.claude/settings.json', SETTINGS);
    const plain = stage.pipe(['--plain', 'go']);
    plain.say('n');
    plain.say('n');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('asks to use Bash');
    await expect(stage.read('hook-ran')).rejects.toThrow('ENOENT');
    const again = stage.pipe(['--plain']);
    await again.end();
    expect(again.stdout()).toContain('Do you trust this folder?');
  });

  it('GT-2: nothing that acts, or --trust: nothing is asked', async () => {
    const stage = await setPlainStage([]);
    await stage.write('.claude/settings.json', JSON.stringify({ permissions: { deny: ['WebFetch'] } }));
    const harmless = stage.pipe();
    await harmless.end();
    expect(harmless.stdout()).not.toContain('trust this folder');
    await stage.write('.claude/settings.json', SETTINGS);
    const flagged = stage.pipe(['--plain', '--trust']);
    await flagged.end();
    expect(flagged.stdout()).not.toContain('trust this folder');
  });

  it('GT-20: hostile names and values are made visible in the trust question', async () => {
    const stage = await setPlainStage([]);
    const hook = { type: 'command', command: 'echo \u001b[2J\u202e hidden' };
    await stage.write('.claude/settings.json', JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }));
    await stage.write(join('.claude/agents', 'a\u001b[2Jb.md'), 'x');
    const plain = stage.pipe();
    await plain.end();
    expect(plain.stdout()).not.toMatch(ACTIVE);
    expect(plain.stdout()).toContain('agent a\\u{1b}[2Jb.md');
    expect(plain.stdout()).toContain('\\u{202e} hidden');
  });
});
