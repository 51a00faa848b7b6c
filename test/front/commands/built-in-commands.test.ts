/** The names that skills can't have are those that can be typed (EX-9). */

import { expect, it } from 'vitest';
import { BUILT_IN_COMMANDS } from '../../../src/config/skills/built-in-commands.js';
import type { CommandContext } from '../../../src/front/commands/command-context.js';
import { runCommand } from '../../../src/front/commands/commands.js';
import { isCommand } from '../../../src/front/commands/is-command.js';

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
  await runCommand('/help', context);
  const listed = [...said.join('\n').matchAll(/^ {2}\/(\S+)/gm)].map(([, name]) => name);
  expect(listed).toEqual([...BUILT_IN_COMMANDS]);
  expect(said.at(-1)).toBe('Skills and commands: /deploy');
});

it('EX-3: only a command of ours is one for the terminal; all else is a prompt', () => {
  for (const line of ['/help', ' /quit', '/? x', '/skills']) expect(isCommand(line)).toBe(true);
  for (const line of ['/deploy', '/constructor', '/tmp is full', '/help/x', '/mcp__s__p', 'say /help', '/git:review'])
    expect(isCommand(line)).toBe(false);
});
