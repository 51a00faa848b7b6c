/**
 * The mark of a process: which call of which agent it was started for. It stands in the environment, so whatever the
 * process starts carries it too, also in a session of its own (`setsid`) and after our own process was killed.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Host } from './host.js';
import type { ProcessMark } from './processes.js';

/** The variable that holds the mark: `session:agent:call`. */
export const MARK_VARIABLE = 'COPPICE_CALL';

const OF_HOOK = 'hook ';

/** A session as marks name it. Ids can be chosen, so that two sessions may have the same: where each is kept tells them apart. */
export function markedSession(transcript: string): string {
  const place = createHash('sha256').update(transcript).digest('hex').slice(0, 12);
  return `${basename(transcript, '.jsonl')}-${place}`;
}

/** The same machine; every process that is started through it carries the mark. */
export function markProcesses(host: Host, mark: ProcessMark): Host {
  const { processes } = host;
  return {
    ...host,
    processes: {
      ...processes,
      start: (command) => processes.start({ mark, ...command }),
      run: (command) => processes.run({ mark, ...command }),
    },
    at: (folder) => markProcesses(host.at(folder), mark),
  };
}

/** The mark of a hook's program. `cause`: the call it was run for, or the event. */
export function hookMark(session: string, agent: string, cause: string): ProcessMark {
  return { session, agent, call: `${OF_HOOK}${cause}` };
}

export function isHookMark({ call }: ProcessMark): boolean {
  return call.startsWith(OF_HOOK);
}

/** The parts come from outside: encoded, they can't contain the separator or a NUL. */
export function writeMark({ session, agent, call }: ProcessMark): string {
  return [session, agent, call].map((part) => encodeURIComponent(part.toWellFormed())).join(':');
}

/** Undefined if the text is not a mark of ours. */
export function readMark(text: string): ProcessMark | undefined {
  const parts = text.split(':');
  if (parts.length !== 3) return undefined;
  try {
    const [session = '', agent = '', call = ''] = parts.map(decodeURIComponent);
    return { session, agent, call };
  } catch {
    return undefined;
  }
}
