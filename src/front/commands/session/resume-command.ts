/** `/resume`, and `--resume` without an id, line by line: a numbered list of this folder's sessions, newest first (TU-25). */

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

const MAX_SHOWN = 20;

export async function resumeOther({ session, say, ask, switchTo }: CommandContext, text: string): Promise<void> {
  const { id } = session;
  const picked = await pickSession({ host: nodeHost(session.cwd), folder: session.cwd, say, ask, text, without: id });
  if (picked === undefined) return say('Staying in this session.');
  const reason = await switchTo(picked, 'other');
  if (reason !== undefined) return say(`Can't open it: ${stripControls(reason)}`);
  if (session.isSaved && session.isKept) say(`Previous session: coppice --resume ${id}`);
}

export type PickSession = {
  readonly host: Host;
  /** Its sessions are listed. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Filters by name, first prompt and id. */
  readonly text?: string;
  /** The current session, which is left out. */
  readonly without?: string;
};

/** Returns undefined if none was chosen. */
export async function pickSession(options: PickSession): Promise<string | undefined> {
  const { host, folder, say, ask, text = '', without } = options;
  const { sessions, problems } = await listSessions(host, {
    home: coppiceHome(host.env),
    project: projectKey(folder),
  });
  for (const problem of problems) say(problem);
  const found = sessions.filter((one) => one.id !== without && matches(one, text));
  const shown = found.slice(0, MAX_SHOWN);
  if (shown.length === 0) {
    const what = without === undefined ? 'sessions' : 'other sessions';
    const which = text === '' ? ` yet` : ` match ${JSON.stringify(escapeToLine(text))}`;
    say(`No ${what} in this folder${which}.`);
    return undefined;
  }
  shown.forEach((session, index) => {
    const { lastActive, inUse, damaged } = session;
    const when = lastActive === 0 ? 'unknown time' : localTime(lastActive);
    const note = inUse ? ' (in use)' : damaged === undefined ? '' : ` (damaged: ${damaged})`;
    say(`  ${String(index + 1).padStart(2)}  ${when}  ${describeTopic(session)}${note}`);
  });
  if (found.length > shown.length) say(`  … ${found.length - shown.length} older sessions`);
  for (;;) {
    const answer = (await ask('Resume which session? (Enter cancels)'))?.trim();
    if (!answer) return undefined;
    const chosen = shown[Number(answer) - 1];
    if (chosen !== undefined) return chosen.id;
    say(`Enter a number from 1 to ${shown.length}.`);
  }
}

/** True if every word of the text occurs, in any order. */
function matches({ id, name = '', prompt }: SessionSummary, text: string): boolean {
  const topic = `${name} ${prompt} ${id}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => topic.includes(word));
}
