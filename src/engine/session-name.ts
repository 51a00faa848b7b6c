/** The name of a session: a record of the main agent, and a file next to its transcript, which lists read. */

import type { LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import type { Result } from '../protocol/result.js';
import { oneLine } from '../protocol/text/one-line.js';
import { saveSessionName } from '../session/store/session-name.js';

const MOST_CHARS = 200;

export type ReadName = Result<{ readonly name: string }>;

/** Returns it in one line. */
export function readName(given: string): ReadName {
  const name = oneLine(given.toWellFormed());
  if (name === '') return { ok: false, reason: 'the name is empty' };
  if (name.length > MOST_CHARS) return { ok: false, reason: `the name is longer than ${MOST_CHARS} characters` };
  return { ok: true, name };
}

export class SessionName {
  /** Not recorded yet: before the first prompt there is nothing to name. */
  requested: string | undefined;

  constructor(requested: string | undefined) {
    this.requested = requested;
  }

  /** Saves an unchanged name again: a copy has it only in its records. */
  async apply({ host, layout }: Runtime, main: LiveAgent): Promise<void> {
    const name = this.requested ?? main.state.name;
    if (name === undefined) return;
    if (name !== main.state.name) await main.emit({ kind: 'session-named', name });
    this.requested = undefined;
    // The record is authoritative; without the file, only lists don't show the name.
    await saveSessionName(host, layout, name).catch(() => {});
  }
}
