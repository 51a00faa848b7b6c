/** `/rewind`: asks for the prompt, the scope, and what to do with files that somebody else has changed. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { describeRewound, REWIND_SCOPES, type RewindScope } from '../../../session/files/rewind.js';
import type { Session } from '../../sdk/session.js';

export type GoBackContext = {
  readonly session: Session;
  readonly say: (line: string) => void;
  readonly ask: (question: string) => Promise<string | undefined>;
};

/** `/rewind`, `/rewind 2`, `/rewind 2 files`: asks for what is not given. */
export async function goBack(context: GoBackContext, argument: string): Promise<void> {
  const { session, say, ask } = context;
  const prompts = await session.prompts();
  if (prompts.length === 0) return say('There is no prompt to rewind to yet.');
  const [given, part] = argument.split(/\s+/).filter(Boolean);
  if (given === undefined) {
    prompts.forEach(({ words }, index) => {
      say(`  ${index + 1}  ${stripUnsafe(words).slice(0, 100)}`);
    });
  }
  const number = given ?? (await ask('before which one? (Enter: stay here)'))?.trim();
  if (!number) return say('Nothing was changed.');
  const to = Number(number);
  if (!Number.isInteger(to) || to < 1 || to > prompts.length) return say(`There is no prompt ${stripUnsafe(number)}.`);
  const said = (part ?? (await ask('conversation, files or both? (c/f/b; Enter: stay here)')) ?? '').trim();
  const wanted = readPart(said);
  if (wanted === undefined) {
    const why = said === '' ? '' : `"${stripUnsafe(said)}" is none of conversation, files and both. `;
    return say(`${why}Nothing was changed.`);
  }
  const rewound = await session.rewind({
    to,
    part: wanted,
    mayOverwrite: async (path) => {
      const answer = await ask(
        `${stripUnsafe(path)} has been changed since by a command or somebody else. Overwrite it? (y/n)`,
      );
      return /^y(?:es)?$/i.test(answer?.trim() ?? '');
    },
  });
  for (const line of rewound.ok ? describeRewound(rewound) : [`The rewind failed: ${rewound.reason}`])
    say(stripUnsafe(line));
}

function readPart(answer: string): RewindScope | undefined {
  const said = answer.toLowerCase();
  return said === '' ? undefined : REWIND_SCOPES.find((part) => part.startsWith(said));
}
