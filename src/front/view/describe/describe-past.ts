/** Describes the session that is resumed: the last exchange, what was interrupted, and what to do about it. */

import type { PastSession } from '../../../engine/past-session.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { plural } from '../../../protocol/format-numbers.js';

const MAX_LINES = 8;
const MAX_CHARS = 400;
const MAX_AGENTS = 5;

export function describePast(id: string, past: PastSession): readonly string[] {
  const { prompts, prompt, reply } = past;
  return [
    `Continues session ${id} (${plural(prompts, 'prompt')} so far).`,
    ...(prompt === undefined ? [] : [`  > ${stripToLine(prompt)}`]),
    ...(reply === undefined ? [] : shorten(reply)),
    ...describeDamage(past),
    ...describeCut(past),
    ...describeAgents(past),
    ...past.commands.map((command) => `A command in the background ended with the program: ${stripToLine(command)}`),
  ];
}

function shorten(reply: string): string[] {
  const lines = stripControls(reply).split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    return `  ${line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…` : line}`;
  });
  return lines.length > MAX_LINES ? [...shown, `  … (+${plural(lines.length - MAX_LINES, 'line')})`] : shown;
}

function describeDamage({ damagedLines }: PastSession): readonly string[] {
  if (damagedLines === 0) return [];
  const what = plural(damagedLines, 'line of its transcript is', 'lines of its transcript are');
  return [`${what} damaged and left out; the file keeps them, and your next prompt tells which.`];
}

function describeCut({ cutOff }: PastSession): readonly string[] {
  switch (cutOff) {
    case undefined:
      return [];
    case 'killed':
      return ['The program ended in the middle of the work. What was done is kept: say "go on", or something else.'];
    case 'interrupted':
      return ['The work was interrupted. What was done is kept: say "go on", or something else.'];
    default:
      return [
        `The last run ended early (${cutOff.replaceAll('_', ' ')}): say "go on" to try again, or something else.`,
      ];
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
