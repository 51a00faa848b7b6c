/** Describes a command to hooks. */

import type { BashResponse } from '../../protocol/tools/bash.js';

/** Both streams are merged, in the order in which the command wrote (`shell-command.ts`). */
export function bashResponse(output: string, interrupted: boolean): BashResponse {
  return { stdout: output.replace(/\n+$/, ''), stderr: '', interrupted, isImage: false };
}

/** For a command that continues in the background. */
export function launchedResponse(backgroundTaskId: string): BashResponse {
  return { ...bashResponse('', false), backgroundTaskId };
}
