/** The table of commands: the names that skills can't have are those that can be typed (EX-9). */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CommandContext } from '../../../../src/front/commands/command-context.js';
import { commandIn, listCommands } from '../../../../src/front/commands/commands.js';
import { isCommand, isShellOrNote } from '../../../../src/front/commands/is-command.js';
import { SLASH_COMMANDS } from '../../../../src/protocol/slash-commands.js';
import { ROOT } from '../../../support/program.js';

it('EX-9: what /help lists is what is ours', async () => {
  const said: string[] = [];
  const report = {
    name: 'deploy',
    kind: 'skill',
    description: 'd',
    scope: 'user',
    file: 'f',
    forPerson: true,
    forModel: true,
  };
  const execute = async () => ({ ok: true, skills: [report, { ...report, name: 'inner', forPerson: false }] });
  // Nothing else is asked of it.
  const context = { say: (line: string) => said.push(line), session: { execute } } as unknown as CommandContext;
  await commandIn('/help')?.run(context, '');
  const listed = [...said.join('\n').matchAll(/^ {2}\/(\S+)/gm)].map(([, name]) => name);
  expect(listed).toEqual([...SLASH_COMMANDS]);
  expect(said.at(-1)).toBe('Skills and commands: /deploy');
});

it('EX-3: only a command of ours is one for the terminal; all else is a prompt', () => {
  for (const line of ['/help', ' /quit', '/? x', '/skills']) expect(isCommand(line)).toBe(true);
  for (const line of ['/deploy', '/constructor', '/tmp is full', '/help/x', '/mcp__s__p', 'say /help', '/git:review'])
    expect(isCommand(line)).toBe(false);
});

it('SF-16: a line for the shell or for instructions is one line; scripts, headings and a mark alone are prompts', () => {
  for (const line of ['!ls', ' ! npm test', '#use tabs', '# use tabs']) expect(isShellOrNote(line)).toBe(true);
  for (const line of ['!', '#', '# ', '## Heading', '#!/bin/sh', '# Heading\ntext', '!!', 'a # b', '/help', '#\n'])
    expect(isShellOrNote(line)).toBe(false);
});

it('TU-21: every command of the table is there under its name; those that change what a turn works on wait for its end', () => {
  const spec =
    'help status doctor config agents tasks fork branch btw compare worktrees apply diff compact context clear model plan permissions memory mcp init theme vim resume rename rewind exit export copy cost cache';
  for (const name of spec.split(' ')) expect(commandIn(`/${name}`)?.name, name).toBe(name);
  const waiting = listCommands().filter(({ whenIdle }) => whenIdle);
  expect(waiting.map(({ name }) => name).sort()).toEqual([
    'apply',
    'branch',
    'clear',
    'compact',
    'init',
    'resume',
    'rewind',
  ]);
  expect(commandIn(' /quit now ')).toMatchObject({ name: 'exit', argument: 'now' });
  expect(commandIn('/')).toMatchObject({ name: 'help', argument: '' });
  expect(commandIn('/constructor')).toBeUndefined();
});

it('TU-21: docs/commands.md has every command as the code has it', async () => {
  const page = join(ROOT, 'docs/commands.md');
  const text = await readFile(page, 'utf8');
  const parts = /^([\s\S]*<!-- commands[^\n]*-->\n)([\s\S]*)(<!-- end of commands -->[\s\S]*)$/.exec(text);
  const [, before = '', table = '', after = ''] = parts ?? [];
  expect(parts).not.toBeNull();
  if (process.env.UPDATE_DOCS === '1') await writeFile(page, `${before}${commandsTable()}${after}`);
  else expect(table, 'run: UPDATE_DOCS=1 npx vitest run test/unit/front/commands').toBe(commandsTable());
});

function commandsTable(): string {
  const rows = listCommands().map(({ name, takes, help, whenIdle }) => {
    const use = `/${name}${takes === undefined ? '' : ` ${takes}`}`.replaceAll('|', '\\|');
    return `| \`${use}\` | ${help.replaceAll('|', '\\|')} | ${whenIdle ? 'after it' : 'at once'} |\n`;
  });
  return `| command | does | during a turn |\n|---|---|---|\n${rows.join('')}`;
}
