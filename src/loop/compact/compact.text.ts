/** Prompts for compaction, and the texts that replace the compacted conversation. */

import { requoteTags } from '../../protocol/tags.js';

export function compactionRequest(instructions: string): string {
  const extra = instructions.trim() === '' ? '' : `\n\nThe person adds: ${instructions.trim()}`;
  return `<compaction>
The conversation is about to be replaced by a summary that you write now. Whoever goes on from it sees nothing else of
what came before. Call no tools. Write plain Markdown with these parts, leaving out a part that would be empty:

## Asked for
Every request of the person, in order and in their sense, with wishes about how it should be done. The newest in full.
## Done
What was done and decided, with the reasons that matter later. Names of files, functions, commands and branches exactly.
## State
What the working tree, running processes and open questions are like now. Code that will be needed again, literally.
## Failed
What was tried and did not work, and why, so that it is not tried again.
## Next
The very next step, if the work is not finished.
</compaction>${extra}`;
}

export const SUMMARY_TAG = '<conversation-summary>';

export function compactionSummary(summary: string): string {
  return `${SUMMARY_TAG}
The conversation so far was longer than fits; this summary stands in its place. Go on from it. Files may have changed:
read again what you are going to edit.

${requoteTags(summary.trim())}
</conversation-summary>`;
}

/** For an agent whose conversation began in a different folder. */
export function otherFolder(
  before: string,
  now: string,
  worktree: { readonly path: string; readonly branch: string } | undefined,
): string {
  const tree =
    worktree === undefined
      ? ''
      : `, in the worktree ${worktree.path}${worktree.branch === '' ? '' : ` on branch ${worktree.branch}`}, which is your own`;
  return `You do not work in ${before}, the folder named above: your working folder is ${now}${tree}. Use paths there, read files there before you edit them, and leave those under ${before} that are not under ${now} alone.`;
}
