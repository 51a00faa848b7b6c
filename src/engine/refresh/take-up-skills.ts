/** Skills that came, went or changed are taken up between the person's prompts and told by a reminder (EX-9, FK-25). */

import { createHash } from 'node:crypto';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import type { SessionSkills } from '../../agents/skills/session-skills.js';
import { text } from '../../protocol/blocks.js';
import type { Tells } from '../../protocol/events.js';
import { makeVisibleLine } from '../../protocol/make-visible.js';
import { reminder } from '../../protocol/tags.js';
import { toldOf } from '../../session/state/agent-state.js';
import type { ChangingSkills } from '../skills/find-session-skills.js';

/** The topic of which skills a conversation was told of. */
const SKILLS_TOPIC = 'skills';

/** What an opening tells by the list that is in the prefix. */
export function tellsOfSkills(skills: SessionSkills): Tells {
  const listed = listedNow(skills);
  return listed.length === 0 ? {} : { [SKILLS_TOPIC]: hashOf(listed) };
}

export async function takeUpSkills(runtime: Runtime, main: LiveAgent, changing: ChangingSkills): Promise<void> {
  const before = listedNow(runtime.skills);
  if (await changing.haveChanged()) {
    const { skills, lines } = await changing.load();
    runtime.skills = skills;
    for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  }
  const now = listedNow(runtime.skills);
  const hash = hashOf(now);
  const told = toldOf(main.state)[SKILLS_TOPIC] ?? hashOf([]);
  if (told === hash) return;
  // A resumed conversation may have been told of others than this process knew before.
  const words = told === hashOf(before) ? describeChange(before, now) : describeAll(now);
  const key = `skills after ${main.state.lastSeq}`;
  await main.inbox.admit({ origin: 'reminder', key, tells: { [SKILLS_TOPIC]: hash } }, [text(reminder(words))]);
}

type Listed = { readonly name: string; readonly description: string };

function listedNow(skills: SessionSkills): readonly Listed[] {
  return skills
    .listed()
    .map(({ skill: { name, description }, nameOnly }) => ({ name, description: nameOnly ? '' : description }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hashOf(listed: readonly Listed[]): string {
  return createHash('sha256').update(JSON.stringify(listed)).digest('hex').slice(0, 16);
}

const MOST_TOLD = 50;
const MOST_CHARS = 300;

function describeChange(before: readonly Listed[], now: readonly Listed[]): string {
  const old = new Map(before.map(({ name, description }) => [name, description]));
  const came = now.filter(({ name, description }) => old.get(name) !== description);
  const gone = before.filter(({ name }) => !now.some((one) => one.name === name)).map(({ name }) => name);
  return [
    'The skills for the Skill tool have changed.',
    ...(came.length > 0 ? ['Now there:', ...linesOf(came)] : []),
    ...(gone.length > 0 ? [`No longer there: ${gone.slice(0, MOST_TOLD).join(', ')}`] : []),
  ].join('\n');
}

function describeAll(now: readonly Listed[]): string {
  return ['The skills for the Skill tool are now these:', ...linesOf(now)].join('\n');
}

function linesOf(listed: readonly Listed[]): readonly string[] {
  const lines = listed.slice(0, MOST_TOLD).map(({ name, description }) => {
    const line = makeVisibleLine(description.replace(/\s+/g, ' ').trim()).slice(0, MOST_CHARS);
    return line === '' ? `- ${name}` : `- ${name}: ${line}`;
  });
  const rest = listed.slice(MOST_TOLD).map(({ name }) => name);
  return rest.length > 0 ? [...lines, `and: ${rest.join(', ')}`] : lines;
}
