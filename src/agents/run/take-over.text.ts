/** The texts that agents read when the user takes over a child and hands it back. */

import type { AgentSpawned } from '../../protocol/events.js';
import { reminder, requoteTags } from '../../protocol/tags.js';

type Child = Pick<AgentSpawned, 'agent' | 'name' | 'type' | 'description'>;

export function takenOverLine(child: Child): string {
  return reminder(
    `The person talks to the agent ${nameOf(child)} themselves from now on. It works in the background and ends only when they hand it back; a notice brings its result then.`,
  );
}

export function handedBackLine(child: Child): string {
  return reminder(`The person has handed the agent ${nameOf(child)} back: it goes on by itself.`);
}

/** For the child, after the user has written to it. */
export const HANDED_BACK = reminder(
  'The person has stopped talking to you. Go on by yourself: finish your task, with what they said, and end with the report you were asked for.',
);

function nameOf({ agent, name, type, description }: Child): string {
  const what = `${name === undefined ? type : `"${name}"`}, ${description}`.replace(/\s+/g, ' ');
  return `${agent} (${requoteTags(what)})`;
}
