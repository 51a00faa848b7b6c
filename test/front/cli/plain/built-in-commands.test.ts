/** The names that skills can't have are those that can be typed (EX-9). */

import { expect, it } from 'vitest';
import { BUILT_IN_COMMANDS } from '../../../../src/config/skills/built-in-commands.js';
import type { CommandContext } from '../../../../src/front/cli/plain/command-context.js';
import { runCommand } from '../../../../src/front/cli/plain/plain-commands.js';

it('EX-9: what /help lists is what is ours', async () => {
  const said: string[] = [];
  // Nothing else is asked of it by these two.
  const context = { say: (line: string) => said.push(line) } as unknown as CommandContext;
  await runCommand('/help', context);
  const listed = [...said.join('\n').matchAll(/^ {2}\/(\S+)/gm)].map(([, name]) => name);
  expect(listed).toEqual([...BUILT_IN_COMMANDS]);
  await runCommand('/constructor', context);
  expect(said.at(-1)).toContain('There is no command /constructor');
});
