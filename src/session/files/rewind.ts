/** Going back to before a prompt: the conversation, the files, or both. A rewind is a record; nothing is deleted. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { DurableEvent, RewoundFile } from '../../protocol/events.js';
import { restoreTranscript } from '../state/restore-transcript.js';
import type { RecordedPrompt } from '../state/restored.js';
import { type LeftFile, type MayOverwrite, planFileRewind, rewindFiles } from './rewind-files.js';

export const REWIND_SCOPES = ['both', 'conversation', 'files'] as const;

export type RewindScope = (typeof REWIND_SCOPES)[number];

export type RewindRequest = {
  /** The person's n-th prompt, counted from 1: everything from it on is taken back. */
  readonly to: number;
  readonly part: RewindScope;
  /** Asked about files that somebody else has changed; omitted: they are left alone. */
  readonly mayOverwrite?: MayOverwrite;
};

export type Rewound =
  | {
      readonly ok: true;
      readonly prompt: RecordedPrompt;
      readonly conversation: boolean;
      readonly files: readonly RewoundFile[];
      readonly left: readonly LeftFile[];
    }
  | { readonly ok: false; readonly reason: string };

type HistoryRewound = Extract<DurableEvent, { kind: 'history-rewound' }>;

/** The caller holds the session's lock, and nothing works in it. `append` puts the record into the main transcript. */
export async function rewind(
  host: Host,
  layout: SessionLayout,
  wish: RewindRequest,
  append: (event: HistoryRewound) => Promise<unknown>,
): Promise<Rewound> {
  const read = await restoreTranscript(host.files, layout.file);
  if (read.kind !== 'restored') {
    return { ok: false, reason: read.kind === 'missing' ? 'there is no transcript yet' : read.reason };
  }
  const { prompts, fileStates } = read.restored;
  const prompt = prompts[wish.to - 1];
  if (prompt === undefined) {
    const count = prompts.length === 1 ? 'is one prompt' : `are ${prompts.length} prompts`;
    return { ok: false, reason: `there is no prompt ${wish.to} to go back to: there ${count}` };
  }
  const conversation = wish.part !== 'files';
  const wishes = wish.part === 'conversation' ? [] : planFileRewind(fileStates, prompt.seq);
  const { files, left } = await rewindFiles(host, layout, wishes, wish.mayOverwrite);
  await append({ kind: 'history-rewound', before: prompt.seq, conversation, files });
  return { ok: true, prompt, conversation, files, left };
}

/** What was done, for the person. */
export function describeRewound(rewound: Extract<Rewound, { ok: true }>): string[] {
  const { prompt, conversation, files, left } = rewound;
  const words = JSON.stringify(prompt.words.length > 60 ? `${prompt.words.slice(0, 59)}…` : prompt.words);
  return [
    conversation ? `The conversation is what it was before ${words}.` : `Back to before ${words}: files only.`,
    ...files.map(({ path, sha256 }) => (sha256 === null ? `  removed ${path}` : `  put back ${path}`)),
    ...left.map(({ path, reason }) => `  left alone: ${path} (${reason})`),
  ];
}
