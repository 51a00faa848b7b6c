/**
 * Limits how much text a result adds to the conversation. A longer text is replaced once, before it is recorded, by its
 * head, its tail and the path of the full text, so that every copy of the conversation has the same replacement.
 */

import { type ResultContent, text } from '../protocol/blocks.js';
import type { ToolOutcome } from '../protocol/outcome.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { ToolContext } from './tool.js';

const MAX_RESULT_CHARS = 30_000;

const NO_OUTPUT = '(no output)';
/** Space reserved for the line between head and tail, which contains a path. */
const MIDDLE_CHARS = 6_000;

export async function boundOutcome(
  outcome: ToolOutcome,
  context: Pick<ToolContext, 'callId' | 'keepOutput'>,
  limit: number = MAX_RESULT_CHARS,
): Promise<ToolOutcome> {
  const content = outcome.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  if (content.length === 0) return { ...outcome, content: [text(NO_OUTPUT)] };
  const total = content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= limit) return content.length === outcome.content.length ? outcome : { ...outcome, content };
  return { ...outcome, content: await replaceText(content, context, limit) };
}

/** Head and tail of a text that is stored elsewhere. Never longer than `limit`; never splits a character. */
export function preview(parts: PreviewParts, limit: number = MAX_RESULT_CHARS): string {
  const room = Math.max(0, Math.floor((limit - Math.min(MIDDLE_CHARS, limit / 2)) / 2));
  const head = cutEnd(parts.head, room);
  const tail = cutStart(parts.tail, room);
  return `${head}\n\n[… ${parts.leftOut(head, tail)} …]\n\n${tail}`;
}

export type PreviewParts = {
  readonly head: string;
  readonly tail: string;
  readonly leftOut: (head: string, tail: string) => string;
};

/** A file name for the output of a call. The id comes from the provider, so only its plain characters are used. */
export function outputName(callId: string, ending: string): string {
  return `${callId.replace(/[^\w-]/g, '_').slice(0, 80)}.${ending}`;
}

async function replaceText(
  content: readonly ResultContent[],
  context: Pick<ToolContext, 'callId' | 'keepOutput'>,
  limit: number,
): Promise<readonly ResultContent[]> {
  const whole = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const others = content.filter((block) => block.type !== 'text');
  const where = await keepWhole(whole, context);
  const shown = preview(
    {
      head: whole,
      tail: whole,
      leftOut: (head, tail) =>
        `${whole.length - head.length - tail.length} of ${whole.length} characters are omitted. ${where}`,
    },
    limit,
  );
  return [text(shown), ...others];
}

async function keepWhole(whole: string, context: Pick<ToolContext, 'callId' | 'keepOutput'>): Promise<string> {
  try {
    const path = await context.keepOutput(outputName(context.callId, 'txt'), whole);
    return `The full text is in ${path}: read the part you need.`;
  } catch (error) {
    // A full disk must not lose the result as well.
    const reason = reasonOf(error);
    return `The full text could not be saved (${reason}).`;
  }
}

/** Cuts at a line end if one is near. Never splits a surrogate pair. */
function cutEnd(value: string, room: number): string {
  if (value.length <= room) return value;
  const line = value.lastIndexOf('\n', room);
  const end = line > room * 0.8 ? line : room;
  return value.slice(0, isLowSurrogate(value, end) ? end - 1 : end);
}

function cutStart(value: string, room: number): string {
  if (value.length <= room) return value;
  const from = value.length - room;
  const line = value.indexOf('\n', from);
  const start = line !== -1 && line - from < room * 0.2 ? line + 1 : from;
  return value.slice(isLowSurrogate(value, start) ? start + 1 : start);
}

function isLowSurrogate(value: string, index: number): boolean {
  const code = value.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
