/** Copies a text: with a program of this machine, else through the terminal, which does not say whether it arrived (TU-19). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { isOverSsh } from '../../../host/environment.js';
import type { Host } from '../../../host/host.js';
import { copyWith, findCopyTool } from '../../commands/conversation/clipboard.js';
import type { Ui } from '../app/ui.js';
import { clipboard } from '../screen/sequences.js';

/** What became of it, in a few words. */
export async function copyText(ui: Ui, host: Host, text: string): Promise<string> {
  // Over a network, the clipboard of this machine is not the person's.
  const tool = isOverSsh(host.env) ? undefined : await findCopyTool(host);
  const reason = tool === undefined ? undefined : await copyWith(host, tool, text);
  if (tool !== undefined && reason === undefined) return 'copied';
  const sequence = clipboard(stripControls(text), host.env);
  if (sequence === undefined)
    return stripControls(reason ?? 'too long to be sent to the terminal: /export writes a file');
  ui.screen.write(sequence);
  return 'sent to the terminal';
}
