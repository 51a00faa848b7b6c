/** Describes processes that outlived their session's process and were ended when it was resumed. */

import type { EndedProcess } from '../../host/processes.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { neutralizeTags } from '../../protocol/tags.js';

const MOST_NAMED = 5;

/** A sentence for the model; none if there were no processes. */
export function describeEnded(ended: readonly EndedProcess[]): string[] {
  if (ended.length === 0) return [];
  const living = ended.filter(({ isGone }) => !isGone);
  const gone = ended.filter(({ isGone }) => isGone);
  return [
    ...(gone.length === 0
      ? []
      : [`It was still running when the session was resumed, and was ended then: ${list(gone)}.`]),
    ...(living.length === 0 ? [] : [`It could not be ended and may still act: ${list(living)}.`]),
  ];
}

/** A line for the user. */
export function describeEndedForUser({ pid, command, mark, isGone }: EndedProcess): string {
  const what = `process ${pid} (${escapeToLine(command)}) of ${mark.agent}, call ${escapeToLine(mark.call)}`;
  return isGone
    ? `${what} was still running after its session was killed; it was ended`
    : `${what} is still running after its session was killed, and could not be ended`;
}

function list(processes: readonly EndedProcess[]): string {
  const named = processes.slice(0, MOST_NAMED).map(({ pid, command }) => `process ${pid} (${escapeToLine(command)})`);
  const more = processes.length - named.length;
  return neutralizeTags([...named, ...(more > 0 ? [`${more} more`] : [])].join(', '));
}
