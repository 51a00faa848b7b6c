/** Describes a resumed session: the last exchange, what was interrupted, and how to continue. */

import type { PastSession } from '../../../engine/past-session.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { shorten } from '../../../protocol/text/one-line.js';

const MAX_LINES = 8;
const MAX_CHARS = 400;
const MAX_AGENTS = 5;

/** `toContinue`: how to continue a run that was cut off. */
export function describePast(
  id: string,
  past: PastSession,
  toContinue = 'Type "continue", or something else.',
): readonly string[] {
  const { prompts, prompt, reply } = past;
  return [
    `Resumed session ${id} (${plural(prompts, 'prompt')} so far).`,
    ...(prompt === undefined ? [] : [`  > ${stripToLine(prompt)}`]),
    ...(reply === undefined ? [] : firstLines(reply)),
    ...describeDamage(past),
    ...describeCut(past, toContinue),
    ...describeAgents(past),
    ...past.commands.map((command) => `A background command ended with the program: ${stripToLine(command)}`),
  ];
}

function firstLines(reply: string): string[] {
  const lines = stripControls(reply).split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${shorten(line, MAX_CHARS)}`);
  return lines.length > MAX_LINES ? [...shown, `  … (+${plural(lines.length - MAX_LINES, 'line')})`] : shown;
}

function describeDamage({ damagedLines }: PastSession): readonly string[] {
  if (damagedLines === 0) return [];
  const what = plural(damagedLines, 'damaged line', 'damaged lines');
  return [`Skipped ${what} of the transcript. Nothing was deleted; details follow with your next prompt.`];
}

function describeCut({ cutOff }: PastSession, toContinue: string): readonly string[] {
  switch (cutOff) {
    case undefined:
      return [];
    case 'killed':
      return [`The last run was cut off. ${toContinue}`];
    case 'interrupted':
      return [`The last run was interrupted. ${toContinue}`];
    default:
      return [`The last run ended early (${cutOff.replaceAll('_', ' ')}). ${toContinue}`];
  }
}

function describeAgents({ agents, resumesAgents }: PastSession): readonly string[] {
  if (agents.length === 0) return [];
  const what = resumesAgents ? 'they continue with your next prompt' : '/tasks resume ID continues one';
  const listed = agents.slice(0, MAX_AGENTS).map(({ id, title }) => `  ${stripToLine(id)}  ${stripToLine(title)}`);
  const left = agents.length - listed.length;
  return [
    `${plural(agents.length, 'agent was', 'agents were')} interrupted; ${what}:`,
    ...listed,
    ...(left > 0 ? [`  … ${left} more (/tasks)`] : []),
  ];
}
