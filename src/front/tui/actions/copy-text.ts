/** Copies text with a program of this machine, or else through the terminal, which does not confirm it (TU-19). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { isOverSsh } from '../../../host/environment.js';
import type { Host } from '../../../host/host.js';
import { copyWith, findCopyTool } from '../../commands/conversation/clipboard.js';
import type { Ui } from '../app/ui.js';
import { clipboard } from '../screen/sequences.js';

/** Returns a short report for the user. */
export async function copyText(ui: Ui, host: Host, text: string): Promise<string> {
  // Over a network, this machine's clipboard is not the user's.
  const tool = isOverSsh(host.env) ? undefined : await findCopyTool(host);
  const reason = tool === undefined ? undefined : await copyWith(host, tool, text);
  if (tool !== undefined && reason === undefined) return 'copied';
  const sequence = clipboard(stripControls(text), host.env);
  if (sequence === undefined) return stripControls(reason ?? 'too long for the terminal: use /export to write a file');
  ui.screen.write(sequence);
  return 'sent to the terminal';
}
