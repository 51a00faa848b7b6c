/**
 * A little model of the loop: it makes up a session at random, writes the events the loop would, and keeps the history
 * the loop would have in memory after each of them.
 */

import { text } from '../../src/protocol/blocks.js';
import type { DurableEvent } from '../../src/protocol/events.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock, freezeToolUse } from '../../src/protocol/frozen-block.js';
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
} from './sample-events.js';

export type Step =
  | { readonly kind: 'prompt'; readonly words: string }
  | { readonly kind: 'notice'; readonly run: number }
  | { readonly kind: 'turn'; readonly calls: readonly CallStep[]; readonly thinks: boolean; readonly words: string }
  | { readonly kind: 'interrupted'; readonly words: string }
  | { readonly kind: 'compact' }
  | { readonly kind: 'drop-thinking' }
  | { readonly kind: 'replace-last' }
  | { readonly kind: 'end' };

export type CallStep = {
  readonly effects: boolean;
  /** Where it ends among its siblings. */
  readonly order: number;
  /** As a model may write it: not as we would. */
  readonly input: string;
};

export type Snapshot = { readonly history: readonly FrozenMessage[]; readonly accepted: number | undefined };

export class LiveModel {
  readonly events: DurableEvent[] = [];
  /** After each event. */
  readonly snapshots: Snapshot[] = [];
  #history: FrozenMessage[] = [];
  #accepted: number | undefined;
  #waiting: { seq: number; blocks: readonly FrozenBlock[] }[] = [];
  #newEpoch = true;
  #calls = 0;

  constructor(steps: readonly Step[]) {
    this.#emit(started());
    this.#admit(admitted('about this machine', 'reminder'));
    this.#admit(admitted('first words'));
    for (const step of steps) this.#take(step);
  }

  #take(step: Step): void {
    switch (step.kind) {
      case 'prompt':
        this.#admit(admitted(step.words));
        return;
      case 'notice':
        this.#admit(admitted(`<done/> ${step.run}`, 'notice', { agent: 'a', run: step.run }));
        return;
      case 'turn':
        this.#turn(step);
        return;
      case 'interrupted':
        this.#request();
        this.#reply([freezeBlock(text(step.words))], 'interrupted');
        return;
      case 'compact': {
        if (this.#history.length < 3) return;
        this.#join([]);
        const blocks = [freezeBlock(text('the story so far'))];
        this.#emit({ kind: 'history-compacted', trigger: 'auto', messages: this.#history.length, blocks }, () => {
          this.#history = [{ role: 'user', blocks }];
          this.#accepted = undefined;
        });
        this.#newEpoch = true;
        return;
      }
      case 'drop-thinking':
        this.#join([]);
        this.#emit({ kind: 'history-mended', reason: 'x', message: -1, block: -1, blocks: [] }, () => {
          this.#history = this.#history.flatMap((message) => {
            const blocks = message.blocks.filter((block) => block.takesBreakpoint);
            return blocks.length > 0 ? [{ ...message, blocks }] : [];
          });
          this.#accepted = undefined;
        });
        this.#newEpoch = true;
        return;
      case 'replace-last':
        this.#replaceLast();
        return;
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
    if (made.length === 0) return;
    for (const { id, effects } of made) if (effects) this.#emit(intended(id));
    const results = new Map<string, { seq: number; blocks: readonly FrozenBlock[] }>();
    for (const { id, effects } of [...made].sort((a, b) => a.order - b.order)) {
      const event = finished(id, `result of ${id}`, effects);
      if (event.kind === 'call-finished') results.set(id, { seq: this.#emit(event), blocks: event.blocks });
    }
    this.#join(made.flatMap(({ id }) => results.get(id) ?? []));
  }

  #replaceLast(): void {
    this.#join([]);
    const message = this.#history.length - 1;
    const last = this.#history[message];
    if (last?.role !== 'user' || last.blocks[0]?.type !== 'text') return;
    const blocks = [freezeBlock(text('[left out]'))];
    this.#emit({ kind: 'history-mended', reason: 'x', message, block: 0, blocks }, () => {
      this.#history = [...this.#history.slice(0, -1), { ...last, blocks: [...blocks, ...last.blocks.slice(1)] }];
    });
    this.#newEpoch = true;
  }

  #request(): void {
    this.#join([]);
    if (this.#history.at(-1)?.role !== 'user') {
      this.#admit(admitted('and then?'));
      this.#join([]);
    }
    this.#emit(turn());
    if (this.#newEpoch) this.#emit(epoch());
    this.#newEpoch = false;
  }

  #reply(blocks: readonly FrozenBlock[], stop: string): void {
    this.#emit(replied(blocks, stop), () => {
      this.#accepted = this.#history.length;
      this.#history = [...this.#history, { role: 'assistant', blocks }];
    });
  }

  #admit(event: DurableEvent): void {
    const seq = this.#emit(event);
    if (event.kind === 'input-admitted') this.#waiting.push({ seq, blocks: event.blocks });
  }

  #join(parts: readonly { seq: number; blocks: readonly FrozenBlock[] }[]): void {
    const all = [...parts, ...this.#waiting];
    this.#waiting = [];
    if (all.length === 0) return;
    this.#emit(joined(...all.map((part) => part.seq)), () => {
      this.#history = [...this.#history, { role: 'user', blocks: all.flatMap((part) => part.blocks) }];
    });
  }

  #emit(event: DurableEvent, change: () => void = () => {}): number {
    this.events.push(event);
    change();
    this.snapshots.push({ history: this.#history, accepted: this.#accepted });
    return this.events.length;
  }
}
