/**
 * A session made up at random: the events the loop would write, in its order. It has no state of its own: like `emit`,
 * it gives every event to `reduce`, reads the state that comes of it, and notes it after each record.
 */

import { text } from '../../../src/protocol/blocks.js';
import type { AgentStatus, DurableEvent, LiveEvent } from '../../../src/protocol/events.js';
import { callsIn, type FrozenBlock, freezeBlock, freezeToolUse } from '../../../src/protocol/frozen-block.js';
import type { PermissionMode } from '../../../src/protocol/permission.js';
import { type AgentState, createState, epochReason, resultsByCall } from '../../../src/session/state/agent-state.js';
import { reduce } from '../../../src/session/state/reduce.js';
import {
  admitted,
  ended,
  epoch,
  finished,
  intended,
  joined,
  replied,
  started,
  thought,
  turn,
  usage,
} from './sample-events.js';
import { factsOf, type StateFacts } from './state-facts.js';

export type Step =
  | { readonly kind: 'prompt'; readonly words: string }
  | { readonly kind: 'notice'; readonly run: number }
  | { readonly kind: 'turn'; readonly calls: readonly CallStep[]; readonly thinks: boolean; readonly words: string }
  | { readonly kind: 'interrupted'; readonly words: string }
  | { readonly kind: 'compact' }
  | { readonly kind: 'drop-thinking' }
  | { readonly kind: 'replace-last' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'rewind'; readonly to: number }
  | { readonly kind: 'todos'; readonly count: number }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'child-run'; readonly run: number; readonly status: AgentStatus }
  | { readonly kind: 'end' };

export type CallStep = {
  readonly effects: boolean;
  /** Its position among its siblings’ ends. */
  readonly order: number;
  /** As a model may write it: not as we would. */
  readonly input: string;
};

export class LiveModel {
  readonly events: DurableEvent[] = [];
  /** After each event. */
  readonly snapshots: StateFacts[] = [];
  readonly #state: AgentState = createState();
  #calls = 0;

  constructor(steps: readonly Step[]) {
    this.#emit(started());
    this.#emit(admitted('about this machine', 'reminder'));
    this.#emit(admitted('first words'));
    for (const step of steps) this.#take(step);
  }

  #take(step: Step): void {
    switch (step.kind) {
      case 'prompt':
        this.#emit(admitted(step.words));
        return;
      case 'notice':
        this.#emit(admitted(`<done/> ${step.run}`, 'notice', { agent: 'a', run: step.run }));
        return;
      case 'turn':
        this.#turn(step);
        return;
      case 'interrupted':
        this.#request();
        this.#reply([freezeBlock(text(step.words))], 'interrupted');
        return;
      case 'compact':
        this.#compact();
        return;
      case 'drop-thinking':
        this.#join();
        this.#emit({ kind: 'history-mended', reason: 'x', message: -1, block: -1, blocks: [] });
        return;
      case 'replace-last':
        this.#replaceLast();
        return;
      case 'withdraw':
        this.#emit({ kind: 'input-withdrawn', inputs: this.#state.pending.slice(0, 1).map((input) => input.seq) });
        return;
      case 'rewind':
        this.#rewind(step.to);
        return;
      case 'todos':
        this.#emit({ kind: 'todos-changed', items: Array.from({ length: step.count }, (_, item) => ({ item })) });
        return;
      case 'mode':
        this.#emit({ kind: 'mode-changed', mode: step.mode });
        return;
      case 'child-run': {
        const { run, status } = step;
        this.#emit({ kind: 'agent-state-changed', run, state: status });
        this.#emit({ kind: 'result-made', run, status, text: `result of ${run}` });
        this.#emit({ kind: 'notice-queued', run, to: 'main', text: `notice of ${run}` });
        return;
      }
      case 'end':
        this.#emit(ended());
        return;
      default:
        step satisfies never;
    }
  }

  #turn({ calls, thinks, words }: Extract<Step, { kind: 'turn' }>): void {
    this.#request();
    const made = calls.map((one) => {
      this.#calls += 1;
      return { ...one, id: `toolu_${this.#calls}` };
    });
    const blocks = [
      ...(thinks ? [freezeBlock(thought(`hm ${this.events.length}`))] : []),
      ...(words === '' && made.length > 0 ? [] : [freezeBlock(text(words || 'so'))]),
      ...made.map(({ id, input }) => freezeToolUse(id, 'Bash', input)),
    ];
    this.#reply(blocks, made.length > 0 ? 'tool_use' : 'end_turn');
    for (const { id, effects } of made) if (effects) this.#emit(intended(id));
    for (const { id, effects } of [...made].sort((a, b) => a.order - b.order)) {
      this.#emit(finished(id, `result of ${id}`, effects));
    }
    if (made.length > 0) this.#join();
  }

  #compact(): void {
    if (this.#state.history.length < 3) return;
    this.#join();
    const blocks = [freezeBlock(text('the story so far'))];
    const { length } = this.#state.history;
    this.#emit({ kind: 'history-compacted', trigger: 'auto', messages: length, model: 'm', usage, blocks });
  }

  #replaceLast(): void {
    this.#join();
    const message = this.#state.history.length - 1;
    const last = this.#state.history.at(message);
    if (last?.role !== 'user' || last.blocks[0]?.type !== 'text') return;
    this.#emit({ kind: 'history-mended', reason: 'x', message, block: 0, blocks: [freezeBlock(text('[left out]'))] });
  }

  #rewind(to: number): void {
    const { prompts } = this.#state;
    const prompt = prompts[to % Math.max(1, prompts.length)];
    if (prompt === undefined) return;
    this.#emit({ kind: 'history-rewound', before: prompt.seq, conversation: true, files: [] });
  }

  #request(): void {
    this.#join();
    if (this.#state.history.at(this.#state.history.length - 1)?.role !== 'user') {
      this.#emit(admitted('and then?'));
      this.#join();
    }
    this.#emit(turn());
    const reason = epochReason(this.#state);
    if (reason !== undefined) this.#emit({ ...epoch(), reason });
  }

  #reply(blocks: readonly FrozenBlock[], stop: string): void {
    this.#see({ kind: 'response-began', turn: 1, response: 'msg_1', model: 'm', usage });
    this.#emit(replied(blocks, stop));
  }

  /** Results in the order of the calls, then admitted input. */
  #join(): void {
    const { history, pending } = this.#state;
    const last = history.at(history.length - 1);
    const results = resultsByCall(this.#state);
    const calls = last?.role === 'assistant' ? callsIn([last]) : [];
    const from = [...calls.flatMap((call) => results.get(call)?.seq ?? []), ...pending.map((input) => input.seq)];
    if (from.length > 0) this.#emit(joined(...from));
  }

  #emit(event: DurableEvent): void {
    this.events.push(event);
    const seq = this.events.length;
    reduce(this.#state, event, seq, pastOf(this.events, event));
    this.snapshots.push(factsOf(this.#state));
  }

  #see(event: LiveEvent): void {
    reduce(this.#state, event);
  }
}

/** The state a rewind returns to: the events before the prompt, folded once more. */
function pastOf(events: readonly DurableEvent[], event: DurableEvent): AgentState | undefined {
  if (event.kind !== 'history-rewound') return undefined;
  const state = createState();
  events.slice(0, event.before - 1).forEach((one, index) => {
    reduce(state, one, index + 1, pastOf(events, one));
  });
  return state;
}
