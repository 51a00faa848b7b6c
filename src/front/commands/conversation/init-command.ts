/** `/init`: a prompt of ours that makes the project's instructions for agents. */

import type { CommandContext } from '../command-context.js';

export async function startInit({ send }: Pick<CommandContext, 'send'>, words: string): Promise<void> {
  await send(words === '' ? INIT_PROMPT : `${INIT_PROMPT}\nThe person adds: ${words}`);
}

const INIT_PROMPT = `Write instructions for coding agents that work in this project, into the file AGENTS.md at the top of the repository. If there is a CLAUDE.md or an AGENTS.md already, improve that file instead of writing another: keep what is right, correct what is wrong, and say what you changed.

Look before you write: the README, the manifest of packages, scripts and continuous integration, the tests, the main folders, and rules for other agents (.cursor/rules, .cursorrules, .github/copilot-instructions.md). Run nothing that changes the project.

Put in it only what an agent can't see quickly by itself and will need often:
- The commands to build, check and test, and how to run a single test, as they really are. Try those that are quick and harmless.
- How the code is put together, as far as several files have to be read to understand it: the main parts, what depends on what, where a new thing goes.
- Rules of the house that are visible in the code or written down: style, names, errors, tests, commits.
- What is dangerous or surprising here.

Leave out general advice, lists of all files, and what you did not find. Write short, plain sentences; one page is enough. Begin with a heading that names the project.
`;
