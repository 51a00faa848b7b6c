/** `--resume` without an id: shows the newest sessions of this folder to choose from. */

import { coppiceHome, projectKey } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { listSessions } from '../../../session/store/list-sessions.js';
import { describeTopic } from '../../view/describe/describe-topic.js';

const MOST = 20;

export type PickSession = {
  readonly host: Host;
  /** The folder whose sessions they are. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly ask: (question: string) => Promise<string | undefined>;
};

/** Returns undefined if none was chosen. */
export async function pickSession({ host, folder, say, ask }: PickSession): Promise<string | undefined> {
  const { sessions, problems } = await listSessions(host, {
    home: coppiceHome(host.env),
    project: projectKey(folder),
  });
  for (const problem of problems) say(problem);
  const shown = sessions.slice(0, MOST);
  if (shown.length === 0) {
    say('There are no sessions in this folder yet.');
    return undefined;
  }
  shown.forEach((session, index) => {
    const { lastActive, inUse, damaged } = session;
    const when = lastActive === 0 ? 'unknown time' : new Date(lastActive).toISOString().slice(0, 16).replace('T', ' ');
    const note = inUse ? ' (in use)' : damaged === undefined ? '' : ` (damaged: ${damaged})`;
    say(`  ${String(index + 1).padStart(2)}  ${when}  ${describeTopic(session)}${note}`);
  });
  for (;;) {
    const answer = (await ask('which one? (Enter: none)'))?.trim();
    if (!answer) return undefined;
    const chosen = shown[Number(answer) - 1];
    if (chosen !== undefined) return chosen.id;
    say(`Give a number from 1 to ${shown.length}.`);
  }
}
