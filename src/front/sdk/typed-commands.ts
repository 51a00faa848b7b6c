/** Built-in slash commands that can be sent as a prompt where there is no terminal; each is a command of the session. */

import type { RunEnd } from '../../loop/run-loop.js';
import type { UserBlock } from '../../protocol/blocks.js';
import { NO_USAGE } from '../../protocol/usage.js';
import type { Session } from './session.js';

export type TypedCommand = {
  readonly name: string;
  readonly description: string;
  /** A hint for the argument. */
  readonly argumentHint: string;
};

const COMPACT: TypedCommand = {
  name: 'compact',
  description: 'Replace the conversation with a summary',
  argumentHint: '[what to keep]',
};
const CLEAR: TypedCommand = {
  name: 'clear',
  description: 'Clear the conversation; its transcript stays on disk',
  argumentHint: '',
};
const FORK: TypedCommand = {
  name: 'fork',
  description: 'Start a background agent that has the whole conversation',
  argumentHint: '<what it should do>',
};

export function typedCommands({ canFork }: Pick<Session, 'canFork'>): readonly TypedCommand[] {
  return canFork ? [COMPACT, CLEAR, FORK] : [COMPACT, CLEAR];
}

type Content = string | readonly UserBlock[];

/** Runs a typed command, or sends the prompt to the main agent. */
export async function sendTyped(session: Session, content: Content, key?: string): Promise<RunEnd> {
  const typed = readTyped(session, content);
  if (typed === undefined) return session.execute({ type: 'prompt', content, ...(key === undefined ? {} : { key }) });
  const { ok, line } = await runTyped(session, typed);
  const end = { text: ok ? line : '', turns: 0, usage: NO_USAGE };
  return ok ? { ...end, reason: 'completed' } : { ...end, reason: 'prompt_refused', line };
}

export type Typed = { readonly command: TypedCommand; readonly words: string };

/** Only plain text can be a command; with attachments it is a prompt. */
export function readTyped(session: Pick<Session, 'canFork'>, content: Content): Typed | undefined {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const [first] = blocks;
  if (blocks.length !== 1 || first?.type !== 'text') return undefined;
  const [, name, words = ''] = /^\s*\/(\w+)(?:\s+([\s\S]*))?$/.exec(first.text) ?? [];
  const command = typedCommands(session).find((one) => one.name === name);
  return command && { command, words: words.trim() };
}

/** `line`: the outcome, for the user. */
export async function runTyped(
  session: Session,
  { command, words }: Typed,
): Promise<{ readonly ok: boolean; readonly line: string }> {
  switch (command) {
    case COMPACT: {
      const done = await session.execute({ type: 'compact', ...(words === '' ? {} : { instructions: words }) });
      const line = done.ok ? 'The conversation was compacted.' : `Not compacted: ${done.reason}`;
      return { ok: done.ok, line };
    }
    case CLEAR: {
      const done = await session.execute({ type: 'clear' });
      return { ok: done.ok, line: done.ok ? 'The conversation was cleared.' : `Not cleared: ${done.reason}` };
    }
    default: {
      const forked = await session.execute({ type: 'fork', directive: words, background: true });
      if (forked.status === 'async_launched') {
        return { ok: true, line: `Forked as ${forked.agentId}. You'll be notified when it finishes.` };
      }
      const why = forked.status === 'failed' ? forked.line : forked.content;
      return { ok: false, line: `Fork failed: ${why}` };
    }
  }
}
