/** `/resume`, and `--resume` without an id, in lines: the sessions of this folder to choose from, newest first (TU-25). */

import { coppiceHome, projectKey } from '../../../config/paths.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { localTime } from '../../../protocol/format-numbers.js';
import { listSessions } from '../../../session/store/list-sessions.js';
import type { SessionSummary } from '../../../session/store/summarize-session.js';
import { describeTopic } from '../../view/describe/describe-topic.js';
import type { CommandContext } from '../command-context.js';

const MOST = 20;

export async function resumeOther({ session, say, ask, switchTo }: CommandContext, words: string): Promise<void> {
  const { id } = session;
  const picked = await pickSession({ host: nodeHost(session.cwd), folder: session.cwd, say, ask, words, without: id });
  if (picked === undefined) return say('You stay in this session.');
  const reason = await switchTo(picked, 'other');
  if (reason !== undefined) return say(`It can't be opened: ${stripControls(reason)}`);
  if (session.isSaved && session.isKept) say(`The session you come from: coppice --resume ${id}`);
}

export type PickSession = {
  readonly host: Host;
  /** The folder whose sessions they are. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Only those with these words in their name, first prompt or id. */
  readonly words?: string;
  /** Not this one: the person is in it. */
  readonly without?: string;
};

/** Returns undefined if none was chosen. */
export async function pickSession(options: PickSession): Promise<string | undefined> {
  const { host, folder, say, ask, words = '', without } = options;
  const { sessions, problems } = await listSessions(host, {
    home: coppiceHome(host.env),
    project: projectKey(folder),
  });
  for (const problem of problems) say(problem);
  const found = sessions.filter((one) => one.id !== without && isMeant(one, words));
  const shown = found.slice(0, MOST);
  if (shown.length === 0) {
    const what = without === undefined ? 'sessions' : 'other sessions';
    const which = words === '' ? ` yet` : ` with ${JSON.stringify(escapeToLine(words))}`;
    say(`There are no ${what} in this folder${which}.`);
    return undefined;
  }
  shown.forEach((session, index) => {
    const { lastActive, inUse, damaged } = session;
    const when = lastActive === 0 ? 'unknown time' : localTime(lastActive);
    const note = inUse ? ' (in use)' : damaged === undefined ? '' : ` (damaged: ${damaged})`;
    say(`  ${String(index + 1).padStart(2)}  ${when}  ${describeTopic(session)}${note}`);
  });
  if (found.length > shown.length) say(`  … ${found.length - shown.length} older ones`);
  for (;;) {
    const answer = (await ask('which one? (Enter: none)'))?.trim();
    if (!answer) return undefined;
    const chosen = shown[Number(answer) - 1];
    if (chosen !== undefined) return chosen.id;
    say(`Give a number from 1 to ${shown.length}.`);
  }
}

/** All of the words, in any order. */
function isMeant({ id, name = '', prompt }: SessionSummary, words: string): boolean {
  const text = `${name} ${prompt} ${id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
