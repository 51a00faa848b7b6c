/** `/cache`: the audit of this session's caching (FK-13), as `coppice cache` has it. */

import { basename, dirname } from 'node:path';
import { coppiceHome, sessionLayout } from '../../../config/paths.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { nodeHost } from '../../../host/node-host.js';
import { describeAudit } from '../../view/describe/describe-audit.js';
import type { CommandContext } from '../command-context.js';
import { auditSession } from './audit-session.js';

export async function showCache({ session, say }: Pick<CommandContext, 'session' | 'say'>): Promise<void> {
  if (!session.isSaved) return say('Nothing was sent yet.');
  const host = nodeHost(session.cwd);
  const layout = layoutOf(coppiceHome(host.env), session);
  if (layout.file !== session.transcript) return say('Nothing of this session is kept, so there is nothing to audit.');
  const { audit, problems } = await auditSession(host, layout, session.models);
  for (const line of problems) say(stripControls(line));
  say(stripControls(describeAudit(session.id, audit)));
}

/** Its project is the folder its transcript is in. */
function layoutOf(home: string, { id, transcript }: CommandContext['session']) {
  return sessionLayout(home, basename(dirname(transcript)), id);
}
