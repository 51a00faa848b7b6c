/**
 * Who has which notice. One that reached an agent too late is passed on to the next above; it stays in the transcript of
 * the first, and must not count there when that agent goes on.
 */

import type { NoticeKey, SessionEvent } from '../../protocol/events.js';

export class NoticeHolders {
  readonly #holders = new Map<string, string>();

  /** The last that got it has it: notices are passed on upwards only. */
  readonly watch = ({ agent, event }: SessionEvent): void => {
    if (event.kind === 'input-admitted' && event.notice !== undefined) this.#holders.set(keyOf(event.notice), agent);
  };

  /** From transcripts of an earlier process: agents below first, so that who stands above counts. */
  recall(agent: string, delivered: readonly NoticeKey[]): void {
    for (const notice of delivered) this.#holders.set(keyOf(notice), agent);
  }

  isElsewhere(agent: string, notice: NoticeKey): boolean {
    return (this.#holders.get(keyOf(notice)) ?? agent) !== agent;
  }
}

function keyOf({ agent, run }: NoticeKey): string {
  return `${agent} ${run}`;
}
