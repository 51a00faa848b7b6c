/** Event rows of the conversation: messages, replies, calls, and replacements of the history. */

import * as z from 'zod';
import type { DurableEventOf, EpochReason } from '../../protocol/events.js';
import { callsIn } from '../../protocol/frozen-block.js';
import { History, type HistoryView } from '../../protocol/history.js';
import { addUsage, cachedTokens, inputTokens } from '../../protocol/usage.js';
import { type AgentState, NO_REQUEST, NOTHING_ANNOUNCED, OPENING_KEY, stateAt } from './agent-state.js';
import { editHistory } from './edit-history.js';
import { blocks, contentHash, count, type EventRows, paidCheck, pathKinds, pathState, usage } from './event-row.js';

const epochFields = () => ({ prefix: z.string(), model: z.string(), maxTokens: z.number() });

export const CONVERSATION_ROWS = {
  'epoch-started': {
    schema: () => z.object({ reason: z.string(), ...epochFields(), base: z.object(epochFields()).optional() }),
    sync: false,
    apply: (state, { prefix, model, maxTokens, base }) => {
      const before = state.epoch;
      // With another prefix or token limit, later requests repeat nothing that was sent before.
      if (before !== undefined && (before.prefix !== prefix || before.maxTokens !== maxTokens)) forgetRequests(state);
      state.epoch = { prefix, model, maxTokens, ...(base ? { base } : {}) };
      state.newEpoch = undefined;
    },
  },
  'turn-started': {
    schema: () => z.object({}),
    sync: false,
    apply: (state, _event, seq) => {
      state.turnAt = seq;
      state.runEnd = undefined;
    },
  },
  'message-joined': {
    schema: () => z.object({ from: z.array(count) }),
    sync: false,
    life: true,
    apply: (state, event) => join(state, event.from),
  },
  'assistant-replied': {
    schema: () => z.object({ stop: z.string(), usage, blocks }),
    sync: false,
    apply: reply,
  },
  'response-discarded': {
    schema: () => z.object({ usage }),
    sync: false,
    apply: (state, event) => {
      state.usage = addUsage(state.usage, event.usage);
    },
  },
  'call-intended': {
    schema: () => z.object({ call: z.string(), aside: z.literal(true).optional() }),
    sync: true,
    apply: (state, event) => {
      if (!event.aside) state.intended.add(event.call);
    },
  },
  'call-finished': {
    schema: () =>
      z.object({
        call: z.string(),
        tool: z.string(),
        aside: z.literal(true).optional(),
        paid: paidCheck.optional(),
        blocks,
      }),
    sync: (event) => event.effects,
    apply: (state, event, seq) => {
      if (event.paid !== undefined) state.usage = addUsage(state.usage, event.paid.usage);
      // It does not belong to a reply: as part of a message it would make the next request invalid.
      if (!event.aside) state.results.set(seq, { seq, call: event.call, blocks: event.blocks });
    },
  },
  'history-compacted': {
    schema: () => z.object({ blocks }),
    sync: true,
    apply: (state, event) => {
      if (event.usage !== undefined) state.usage = addUsage(state.usage, event.usage);
      replaceHistory(state, new History(), 'compaction', 0);
      // The opening remains; later announcements are only in the summary.
      state.told = { opening: state.told.opening, since: {} };
      if (event.blocks.length > 0) state.history.append({ role: 'user', blocks: event.blocks });
      state.results.clear();
    },
  },
  'history-cleared': {
    schema: () => z.object({}),
    sync: true,
    apply: clear,
  },
  'history-mended': {
    schema: () => z.object({ message: z.number().int(), block: z.number().int(), blocks }),
    sync: false,
    apply: mend,
  },
  'history-rewound': {
    schema: () =>
      z.object({
        before: count,
        conversation: z.boolean(),
        files: z.array(z.object({ path: z.string(), ...pathState, from: contentHash, was: pathKinds.optional() })),
      }),
    sync: true,
    apply: rewind,
  },
} satisfies Partial<EventRows>;

function join(state: AgentState, from: readonly number[]): void {
  const joined = new Set(from);
  const inputs = new Map(state.pending.map((input) => [input.seq, input]));
  const content = from.flatMap((seq) => state.results.get(seq)?.blocks ?? inputs.get(seq)?.blocks ?? []);
  state.pending = state.pending.filter((input) => !joined.has(input.seq));
  for (const seq of from) state.results.delete(seq);
  if (content.length > 0) {
    state.history.append({ role: 'user', blocks: content });
    state.lastStop = undefined;
  }
  state.gap = false;
}

function reply(state: AgentState, event: DurableEventOf<'assistant-replied'>): void {
  if (state.gap) joinLost(state);
  const messages = state.history.length;
  acceptRequest(state);
  state.usage = addUsage(state.usage, event.usage);
  state.lastRequest = { ...state.lastRequest, cached: cachedTokens(event.usage) };
  if (event.stop !== 'interrupted') {
    const tokens = inputTokens(event.usage) + event.usage.output;
    state.lastRequest = { ...state.lastRequest, tokens, messages: messages + Math.min(1, event.blocks.length) };
  }
  state.results.clear();
  state.intended.clear();
  state.lastStop = event.stop;
  if (event.blocks.length === 0) return;
  const message = { role: 'assistant', blocks: event.blocks } as const;
  for (const id of callsIn([message])) state.callIds.add(id);
  state.history.append(message);
}

/** The API accepted a request that ended where the history ends now. */
export function acceptRequest(state: AgentState): void {
  state.accepted = state.history.length;
  state.breakpoints = [{ messages: state.history.length }];
}

/**
 * Joins input whose own joining record was lost. The model has answered, so everything from before the turn was sent:
 * results in call order, then input.
 */
function joinLost(state: AgentState): void {
  const last = state.history.at(state.history.length - 1);
  const order = callsIn(last === undefined ? [] : [last]);
  const results = [...state.results.values()]
    .filter((result) => result.seq < state.turnAt && order.includes(result.call))
    .sort((a, b) => order.indexOf(a.call) - order.indexOf(b.call));
  const inputs = state.pending.filter((input) => input.seq < state.turnAt && input.held !== true);
  if (results.length + inputs.length > 0)
    join(
      state,
      [...results, ...inputs].map((one) => one.seq),
    );
}

/** Messages after the last accepted request can change without ending the epoch. */
function mend(state: AgentState, event: DurableEventOf<'history-mended'>): void {
  const wasSent =
    event.message < (state.accepted ?? (state.epoch === undefined ? state.inherited : Number.POSITIVE_INFINITY));
  const inherited = event.message < 0 || event.message < state.inherited ? 0 : state.inherited;
  const mended = History.of(editHistory([...state.history], event));
  if (wasSent) {
    replaceHistory(state, mended, 'history-rejected', inherited);
  } else {
    state.history = mended;
    state.inherited = inherited;
  }
}

/** Unread messages of agents and of the user remain. The opening has to be admitted again. */
function clear(state: AgentState): void {
  replaceHistory(state, new History(), 'clear', 0);
  state.told = NOTHING_ANNOUNCED;
  state.pending = state.pending.filter(({ origin }) => origin !== 'reminder' && origin !== 'hook');
  state.results.clear();
  state.intended.clear();
  state.lastStop = undefined;
  state.todos = [];
  state.admittedKeys.delete(OPENING_KEY);
}

/** Used ids, delivered notices and usage remain after a rewind. */
function rewind(
  state: AgentState,
  event: DurableEventOf<'history-rewound'>,
  seq: number,
  past: AgentState | undefined,
): void {
  for (const { from, was, ...file } of event.files) {
    state.fileStates.push({ ...stateAt({ ...was, path: file.path, sha256: from }), seq, kind: 'kept' });
    state.fileStates.push({ ...stateAt(file), seq, kind: 'left' });
  }
  if (!event.conversation || past === undefined) return;
  replaceHistory(state, past.history, 'rewind', past.inherited);
  state.told = past.told;
  state.todos = past.todos;
  // Messages that the user has withdrawn since stay withdrawn.
  const current = new Set(state.prompts.map((prompt) => prompt.seq));
  const isCurrent = ({ seq: of }: { readonly seq: number }) => current.has(of);
  state.pending = past.pending.filter((input) => input.origin !== 'person' || isCurrent(input));
  state.results = new Map(past.results);
  state.intended = new Set(past.intended);
  state.lastStop = past.lastStop;
  state.prompts = past.prompts.filter(isCurrent);
}

/** The only function that starts a conversation over: everything that refers to the old history is dropped with it. */
function replaceHistory(state: AgentState, history: HistoryView, reason: EpochReason, inherited: number): void {
  state.history = new History(history);
  state.inherited = inherited;
  state.newEpoch = reason;
  state.generation += 1;
  forgetRequests(state);
}

function forgetRequests(state: AgentState): void {
  state.accepted = undefined;
  state.breakpoints = [];
  state.lastRequest = NO_REQUEST;
}
