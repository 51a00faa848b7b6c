/** `--resume` without an id: a page with the sessions to choose from (TU-25). */

import { worktreeFolder } from '../../../engine/open/enter-worktree.js';
import type { Host } from '../../../host/host.js';
import type { Ui } from '../../tui/app/ui.js';
import { pickSession } from '../../tui/open/pick-session.js';
import type { Flags } from '../flags.js';

/** Undefined: none was chosen. */
export async function pickAtStart(
  ui: Ui,
  host: Host,
  { worktree }: Flags,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = typeof worktree === 'string' ? await worktreeFolder(host, worktree) : undefined;
  // What is wrong with it is told when it is opened.
  if (place?.ok === false) return 'latest';
  const folder = place?.path ?? (await host.files.realpath(host.folder));
  return (await pickSession({ ui, host, folder, signal }))?.id;
}
