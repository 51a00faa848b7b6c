/**
 * The examples of docs/extensions.md, run by the real program as they stand there, from top to bottom in one project (SF-6).
 * What a block is stands after its language: a file's name; `what the model reads`; `on the screen`; flags of a session of
 * lines, whose `>` and `?` lines are typed. A block `console` has commands and lines that they print; `…` is anything.
 */

import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type PlainStage, setPlainStage } from '../../program/cli/plain/plain-stage.js';
import { ROOT, runShell } from '../../support/program.js';

const QUESTION = {
  question: 'Which database?',
  header: 'Database',
  options: [
    { label: 'SQLite', description: 'one file' },
    { label: 'Postgres', description: 'a server' },
  ],
};

/** The model of the page. What a rule asks for is what, by the page, the model gets. */
const MODEL: Rule[] = [
  { when: { model: 'haiku', user: 'name a ticket?' }, reply: '{"ok": false, "reason": "No ticket is named."}' },
  {
    when: { tool: 'web_search' },
    reply: [{ search: 'node 26', results: [{ title: 'Releases', url: 'https://nodejs.org/releases', text: 'April' }] }],
  },
  { when: { result: { tool: 'WebSearch', text: 'https://nodejs.org/releases' } }, reply: 'In April.' },
  { when: { result: { tool: 'Bash', error: true } }, reply: 'I could not commit: {{result}}' },
  {
    when: { result: { tool: 'ExitPlanMode', text: 'one file is enough' } },
    reply: 'The person wants it in one file.',
  },
  { when: { result: { tool: 'AskUserQuestion', text: '"Which database?": "Postgres"' } }, reply: 'I take Postgres.' },
  {
    when: { result: { tool: 'Skill', text: 'release is taken up' }, said: 'release of version 1.3.0' },
    reply: 'I have added the section for 1.3.0.',
  },
  { when: { user: 'release of version 1.2.0' }, reply: 'I have added the section for 1.2.0.' },
  { when: { user: 'make a release' }, reply: [{ tool: 'Skill', input: { skill: 'release', args: '1.3.0' } }] },
  { when: { user: 'Review these files.' }, reply: 'Nothing is wrong.' },
  { when: { user: 'What does @src/parse.ts do?' }, reply: 'It splits text at commas.' },
  { when: { user: 'carry it out', said: 'Plan mode has ended' }, reply: 'Carried out.' },
  {
    when: { user: 'split the parser', said: 'the session is in plan mode' },
    reply: [{ tool: 'ExitPlanMode', input: { plan: '# Plan\n\n1. Move `parse` to src/split.ts\n' } }],
  },
  { when: { user: 'set up the storage' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
  { when: { user: 'standup of the team core' }, reply: 'Three lines.' },
  { when: { user: 'what is here?', system: 'Answer in at most three sentences.' }, reply: 'A parser.' },
  { when: { user: 'what is here?' }, reply: 'Many things.' },
  { when: { user: 'when was Node 26 released?' }, reply: [{ tool: 'WebSearch', input: { query: 'node 26' } }] },
  { when: { user: 'commit it' }, reply: [{ tool: 'Bash', input: { command: 'git commit -m x' } }] },
];

type Block = { readonly language: string; readonly info: string; readonly body: string; readonly line: number };

it('EX-2 EX-3 EX-6 EX-15 EX-16 EX-21 EX-22 EX-23 EX-24: docs/extensions.md is correct', async () => {
  const page = await readFile(join(ROOT, 'docs', 'extensions.md'), 'utf8');
  const stage = await setPlainStage(MODEL);
  await promisify(execFile)('git', ['init', '-q'], { cwd: stage.folder });
  const done: Record<string, number> = {};
  let seen = 0;
  for (const block of blocksOf(page)) {
    const kind = kindOf(block);
    done[kind] = (done[kind] ?? 0) + 1;
    if (kind === 'console' || kind === 'session') seen = stage.sim.requests.length;
    await RUN[kind](stage, block, seen).catch((error) => {
      throw new Error(`docs/extensions.md:${block.line}: ${error instanceof Error ? error.message : error}`);
    });
  }
  expect(stage.sim.unmatched).toEqual([]);
  expect(done).toMatchObject({ file: 13, console: 9, read: 4, session: 3, screen: 1, settings: 2 });
});

type Kind = 'file' | 'console' | 'read' | 'session' | 'screen' | 'settings';

function kindOf({ language, info }: Block): Kind {
  if (language === 'console') return 'console';
  if (info === 'what the model reads') return 'read';
  if (info === 'on the screen') return 'screen';
  if (info.startsWith('--')) return 'session';
  if (info === '' && language === 'json') return 'settings';
  expect(info, 'a file, or one of the kinds above').toMatch(/^[\w.~/-]+$/);
  return 'file';
}

const RUN: Readonly<Record<Kind, (stage: PlainStage, block: Block, seen: number) => Promise<void>>> = {
  file: async ({ folder, home }, { info, body }) => {
    const path = info.startsWith('~/') ? join(home, info.slice(2)) : join(folder, info);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
    if (body.startsWith('#!')) await chmod(path, 0o755);
  },
  console: async ({ at }, { body }) => {
    for (const [, command = '', printed = ''] of body.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      const { code, stdout, stderr } = await runShell(command, at);
      const wanted = printed.split('\n').slice(0, -1);
      for (const line of wanted) expect(`${stdout}\n${stderr}`, command).toMatch(patternOf(line));
      expect(code === 0, `${command}: exit code ${code}\n${stderr}`).toBe(!wanted.some((line) => /^error:/.test(line)));
    }
  },
  read: async ({ sim }, { body }, seen) => {
    const last = sim.requests.slice(seen).at(-1);
    const contents = last?.body.messages.map(({ content }) => content) ?? [];
    const texts = contents.flatMap((content) =>
      typeof content === 'string' ? [content] : content.flatMap((one) => (one.type === 'text' ? [one.text] : [])),
    );
    expectInOrder(texts.join('\n'), body.split('\n').slice(0, -1));
  },
  session: async (stage, { info, body }) => {
    const lines = body.split('\n').slice(0, -1);
    const plain = stage.pipe(info.split(' '));
    for (const line of lines) if (TYPED.test(line)) plain.say(line.slice(2));
    expect(await plain.end(), plain.stderr()).toBe(0);
    const shown = lines.filter((line) => !TYPED.test(line));
    expectInOrder(plain.stdout(), shown);
  },
  screen: async (stage, { body }) => {
    const screen = stage.screen();
    for (const line of body.split('\n').slice(0, -1)) await screen.until(`\n${line}`);
    screen.type('/exit\r');
    expect(await screen.ended).toBe(0);
  },
  settings: async ({ at, write }, { body }) => {
    const file = await write('.git/block.json', body);
    const { code, stderr } = await runShell(`coppice -p "what is here?" --settings ${file}`, at);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
};

const TYPED = /^[>?] /;

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', info = '', body = ''] = match;
    return { language, info, body, line: page.slice(0, match.index).split('\n').length };
  });
}

function expectInOrder(text: string, lines: readonly string[]): void {
  let rest = text;
  for (const line of lines) {
    const found = patternOf(line).exec(rest);
    expect(found, `${JSON.stringify(line)} in:\n${text}`).not.toBeNull();
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
  }
}

function patternOf(line: string): RegExp {
  return new RegExp(
    line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
  );
}
