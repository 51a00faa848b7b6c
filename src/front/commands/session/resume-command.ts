/** `/resume`: the sessions of this folder, newest first, to continue in another one (TU-25 in lines). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { nodeHost } from '../../../host/node-host.js';
import type { CommandContext } from '../command-context.js';
import { pickSession } from './pick-session.js';

export async function resumeOther({ session, say, ask, switchTo }: CommandContext, words: string): Promise<void> {
  const { id } = session;
  const picked = await pickSession({ host: nodeHost(session.cwd), folder: session.cwd, say, ask, words, without: id });
  if (picked === undefined) return say('You stay in this session.');
  const reason = await switchTo(picked, 'other');
  if (reason !== undefined) return say(`It can't be opened: ${stripControls(reason)}`);
  if (session.isSaved && session.isKept) say(`The session you come from: coppice --resume ${id}`);
}
