/** Commands that have a page of their own at the terminal. The others show lines. */

import type { BuiltInCommand } from '../../../config/skills/built-in-commands.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Conversation } from '../app/conversation.js';
import { openComparison } from './open-comparison.js';
import { openDiff } from './open-diff.js';
import { openRewind } from './open-rewind.js';
import { openTasks } from './open-tasks.js';
import { pickModel } from './pick-model.js';
import { pickSession } from './pick-session.js';
import { pickTheme } from './pick-theme.js';

type OpenPage = (conversation: Conversation, argument: string) => Promise<void> | void;

/** With words after the name, most mean something that lines do as well. */
const WITHOUT_WORDS: Readonly<Partial<Record<BuiltInCommand, OpenPage>>> = {
  tasks: openTasks,
  model: pickModel,
  theme: pickTheme,
  rewind: openRewind,
  resume: resumeOther,
};

const WITH_WORDS: Readonly<Partial<Record<BuiltInCommand, OpenPage>>> = {
  diff: openDiff,
  compare: openComparison,
};

export function commandPage(name: BuiltInCommand, argument: string): OpenPage | undefined {
  return WITH_WORDS[name] ?? (argument === '' ? WITHOUT_WORDS[name] : undefined);
}

async function resumeOther({ ui, host, session, printer, switchTo }: Conversation): Promise<void> {
  const { id, cwd } = session;
  const picked = await pickSession({ ui, host, folder: cwd, without: id });
  if (picked === undefined) return;
  const reason = await switchTo(picked.id, 'other');
  if (reason !== undefined) printer.say('error', `It can't be opened: ${stripControls(reason)}`);
}
