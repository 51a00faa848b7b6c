/**
 * Updates on their way to the editor, in order. While it reads slowly, adjacent text is joined and an update of a call is
 * merged into the one before it, so that no more is queued than there is to show (CL-8).
 */

import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** In characters; above this, agents wait for the editor. */
const MOST_WAITING = 1_000_000;

export class Outbox {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  #waiting: SessionUpdate[] = [];
  #pumping: Promise<void> | undefined;
  #size = 0;

  /** `send` resolves when the editor's pipe has accepted it. It rejects if the editor is gone. */
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

  /** Resolves when all updates so far are sent, or can't be. */
  async flushed(): Promise<void> {
    while (this.#pumping !== undefined) await this.#pumping;
  }

  /** A promise while too much is queued. */
  behind(): Promise<void> | undefined {
    return this.#size > MOST_WAITING ? this.flushed() : undefined;
  }

  async #pump(): Promise<void> {
    // Updates of the same moment are joined before anything is sent.
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

/** Text joins only the update right before it; the state of a call, a plan or the usage joins one anywhere in the queue. */
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
