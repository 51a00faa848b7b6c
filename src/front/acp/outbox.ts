/**
 * Updates on their way to the editor, in their order. While it reads slowly, text that belongs together is joined and an
 * update of a call takes up the one before it, so that what waits is no more than what there is to show (CL-8).
 */

import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** In characters: then agents wait for the editor. */
const MOST_WAITING = 1_000_000;

export class Outbox {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  #waiting: SessionUpdate[] = [];
  #pumping: Promise<void> | undefined;
  #size = 0;

  /** `send` resolves when the editor's pipe has taken it, and may reject: then nobody is there any more. */
  constructor(send: (update: SessionUpdate) => Promise<void>) {
    this.#send = send;
  }

  push(update: SessionUpdate): void {
    this.#size += sizeOf(update);
    const last = this.#waiting.length - 1;
    const at = this.#waiting.findLastIndex((one, index) => isJoinable(one, update, index === last));
    const joined = this.#waiting[at];
    if (joined === undefined) this.#waiting.push(update);
    else this.#waiting[at] = join(joined, update);
    this.#pumping ??= this.#pump();
  }

  /** Resolves when all that was pushed so far has been sent, or can't be. */
  async flushed(): Promise<void> {
    while (this.#pumping !== undefined) await this.#pumping;
  }

  /** A promise while more waits than an editor can be behind. */
  behind(): Promise<void> | undefined {
    return this.#size > MOST_WAITING ? this.flushed() : undefined;
  }

  async #pump(): Promise<void> {
    // What comes in the same moment is joined before anything is sent.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const size = sizeOf(next);
      await this.#send(next).catch(() => {
        this.#waiting = [];
        this.#size = 0;
      });
      this.#size = Math.max(0, this.#size - size);
    }
    this.#size = 0;
    this.#pumping = undefined;
  }
}

/** Text only with what stands right before it; the state of a call, a plan or the usage wherever it waits. */
function isJoinable(before: SessionUpdate, update: SessionUpdate, isLast: boolean): boolean {
  if (before.sessionUpdate !== update.sessionUpdate) return false;
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return isLast && isText(before) && isText(update);
    case 'tool_call_update':
      return 'toolCallId' in before && before.toolCallId === update.toolCallId;
    case 'plan':
    case 'usage_update':
    case 'available_commands_update':
      return true;
    default:
      return false;
  }
}

function isText(update: SessionUpdate): boolean {
  return 'content' in update && (update.content as { readonly type?: string } | null)?.type === 'text';
}

function join(before: SessionUpdate, update: SessionUpdate): SessionUpdate {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk')
    return { ...before, ...update } as SessionUpdate;
  return { ...update, content: { type: 'text', text: textOf(before) + textOf(update) } };
}

function textOf(update: SessionUpdate): string {
  const content = 'content' in update ? (update.content as { readonly text?: string }) : {};
  return content.text ?? '';
}

function sizeOf(update: SessionUpdate): number {
  if (update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk')
    return textOf(update).length + 100;
  return JSON.stringify(update).length;
}
