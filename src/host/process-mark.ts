/**
 * The mark of a process: the agent and the call it was started for. It is an environment variable, so child processes
 * inherit it, also in their own session (`setsid`) and after our process was killed.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Host } from './host.js';
import type { ProcessMark } from './processes.js';

/** The variable that holds the mark: `session:agent:call`. */
export const MARK_VARIABLE = 'COPPICE_CALL';

const OF_HOOK = 'hook ';

/** The name of a session in marks. Session ids can be chosen, so a hash of the transcript's path makes it unique. */
export function markedSession(transcript: string): string {
  const hash = createHash('sha256').update(transcript).digest('hex').slice(0, 12);
  return `${basename(transcript, '.jsonl')}-${hash}`;
}

/** Returns the same machine; every process started through it carries the mark. */
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

/** Undefined if the text is not one of our marks. */
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
