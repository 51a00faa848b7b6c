/** The name of a session, for people: a record of the main agent, and a file beside its transcript, which lists read. */

import type { LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import type { Result } from '../protocol/result.js';
import { oneLine } from '../protocol/text/one-line.js';
import { saveSessionName } from '../session/store/session-name.js';

const MOST_CHARS = 200;

export type ReadName = Result<{ readonly name: string }>;

/** In one line. */
export function readName(given: string): ReadName {
  const name = oneLine(given.toWellFormed());
  if (name === '') return { ok: false, reason: 'a name can not be empty' };
  if (name.length > MOST_CHARS) return { ok: false, reason: `a name has at most ${MOST_CHARS} characters` };
  return { ok: true, name };
}

export class SessionName {
  /** Not recorded yet: before the first words there is nothing to name. */
  requested: string | undefined;

  constructor(wanted: string | undefined) {
    this.requested = wanted;
  }

  /** The one it has is kept again: that of a copy is only in its records so far. */
  async apply({ host, layout }: Runtime, main: LiveAgent): Promise<void> {
    const name = this.requested ?? main.state.name;
    if (name === undefined) return;
    if (name !== main.state.name) await main.emit({ kind: 'session-named', name });
    this.requested = undefined;
    // The record counts; without the file only lists don't show it.
    await saveSessionName(host, layout, name).catch(() => {});
  }
}
