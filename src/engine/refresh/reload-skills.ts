/** Reloads added, removed and changed skills between your prompts, and announces them in a reminder (EX-9, FK-25). */

import { createHash } from 'node:crypto';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import type { SessionSkills } from '../../agents/skills/session-skills.js';
import { text } from '../../protocol/blocks.js';
import type { Announcements } from '../../protocol/events.js';
import { reminder } from '../../protocol/tags.js';
import { announcedTo } from '../../session/state/agent-state.js';
import type { ChangingSkills } from '../skills/find-session-skills.js';
import { describeListedChange, type Listed, linesOf } from './listed-changes.js';

/** The topic of skill announcements. */
const SKILLS_TOPIC = 'skills';

/** The announcements of an opening, for the list in the prefix. */
export function skillAnnouncements(skills: SessionSkills): Announcements {
  const listed = listedNow(skills);
  return listed.length === 0 ? {} : { [SKILLS_TOPIC]: hashOf(listed) };
}

export async function reloadSkills(runtime: Runtime, main: LiveAgent, changing: ChangingSkills): Promise<void> {
  const before = listedNow(runtime.skills);
  if (await changing.haveChanged()) {
    const { skills, lines } = await changing.load();
    runtime.skills = skills;
    for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  }
  const now = listedNow(runtime.skills);
  const hash = hashOf(now);
  const announced = announcedTo(main.state)[SKILLS_TOPIC] ?? hashOf([]);
  if (announced === hash) return;
  // A resumed conversation may have other announcements than this process knew before.
  const changed = announced === hashOf(before) ? describeListedChange(CHANGED, before, now) : undefined;
  const list = changed ?? ['The skills for the Skill tool are now these:', ...linesOf(now)].join('\n');
  const key = `skills after ${main.state.lastSeq}`;
  await main.inbox.admit({ origin: 'reminder', key, announcements: { [SKILLS_TOPIC]: hash } }, [text(reminder(list))]);
}

const CHANGED = 'The skills for the Skill tool have changed.';

/** By set of skills: that of a session stays the same between changes. */
const known = new WeakMap<SessionSkills, readonly Listed[]>();
const hashes = new WeakMap<readonly Listed[], string>();

function listedNow(skills: SessionSkills): readonly Listed[] {
  const listed = known.get(skills) ?? listIn(skills);
  known.set(skills, listed);
  return listed;
}

function listIn(skills: SessionSkills): readonly Listed[] {
  return skills
    .listed()
    .map(({ skill: { name, description }, nameOnly }) => ({ name, description: nameOnly ? '' : description }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hashOf(listed: readonly Listed[]): string {
  const hash = hashes.get(listed) ?? createHash('sha256').update(JSON.stringify(listed)).digest('hex').slice(0, 16);
  hashes.set(listed, hash);
  return hash;
}
