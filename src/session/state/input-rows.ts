/** Event rows of input: admitted, held until it is released, or withdrawn. */

import * as z from 'zod';
import type { Announcements, DurableEventOf } from '../../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { oneLine } from '../../protocol/text/one-line.js';
import { type Admitted, type AgentState, noticeKey, OPENING_KEY } from './agent-state.js';
import { blocks, count, type EventRows, paidCheck } from './event-row.js';

export const INPUT_ROWS = {
  'input-admitted': {
    schema: () =>
      z.object({
        origin: z.string(),
        key: z.string().optional(),
        notice: z.object({ agent: z.string(), run: count }).optional(),
        check: paidCheck.optional(),
        tells: z.record(z.string(), z.string()).optional(),
        shell: z.object({ call: z.string(), command: z.string() }).optional(),
        held: z.literal(true).optional(),
        blocks,
      }),
    // Placeholders are useless without the directive that follows them, which is synced.
    sync: ({ origin }) => origin !== 'reminder' && origin !== 'fork-placeholders',
    life: true,
    apply: admit,
  },
  // If this record is lost, the input is still held.
  'input-released': {
    schema: () => z.object({ inputs: z.array(count) }),
    sync: false,
    apply: (state, { inputs }) => {
      state.pending = state.pending.map((input) => (inputs.includes(input.seq) ? released(input) : input));
    },
  },
  'input-withdrawn': {
    schema: () => z.object({ inputs: z.array(count) }),
    sync: true,
    life: true,
    apply: (state, { inputs }) => {
      const remains = ({ seq }: { readonly seq: number }) => !inputs.includes(seq);
      state.pending = state.pending.filter(remains);
      state.prompts = state.prompts.filter(remains);
    },
  },
} satisfies Partial<EventRows>;

function admit(state: AgentState, event: DurableEventOf<'input-admitted'>, seq: number): void {
  const { origin, notice, blocks: content } = event;
  if (origin === 'fork-directive' || origin === 'message') state.begun = true;
  const key = notice === undefined ? event.key : noticeKey(notice);
  if (key !== undefined) {
    // Input admitted twice under one key is one input.
    if (state.admittedKeys.has(key)) return;
    state.admittedKeys.add(key);
  }
  if (notice !== undefined) state.delivered.set(noticeKey(notice), notice);
  if (event.tells !== undefined) announce(state, event.tells, key);
  if (origin === 'person') state.prompts.push({ seq, words: firstWords(content) });
  const keyed = event.key !== undefined && (origin === 'person' || origin === 'hook') ? { key: event.key } : {};
  const held = event.held === true ? { held: event.held } : {};
  state.pending.push({ seq, origin, ...(notice === undefined ? {} : { notice }), ...keyed, ...held, blocks: content });
}

function released({ held: _held, ...input }: Admitted): Admitted {
  return input;
}

function announce(state: AgentState, tells: Announcements, key: string | undefined): void {
  const { opening, since } = state.told;
  if (key === OPENING_KEY) state.told = { opening: tells, since: {} };
  else if (isBeforeFirstMessage(state)) state.told = { opening: { ...opening, ...tells }, since };
  else state.told = { opening, since: { ...since, ...tells } };
}

/** True before the first message: a reminder that is admitted now belongs to the opening. */
function isBeforeFirstMessage({ history, pending }: AgentState): boolean {
  return history.length === 0 && pending.every(({ origin }) => origin === 'reminder' || origin === 'hook');
}

const MAX_CHARS = 200;

/** The beginning of a prompt, enough to recognise it. */
function firstWords(content: readonly FrozenBlock[]): string {
  const parts = content.map((block) => {
    const parsed = parseBlock(block);
    if (parsed.type !== 'text') return `[${parsed.type}]`;
    // An attachment of the prompt: a skill's text, files.
    return parsed.text.startsWith('<system-reminder>') ? '' : parsed.text;
  });
  return oneLine(parts.join(' ')).slice(0, MAX_CHARS).toWellFormed();
}
