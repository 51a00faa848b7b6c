/** What hooks are told about a command. */

import type { BashResponse } from '../../protocol/tools/bash.js';

/** Both streams are one, in the order in which the command wrote (`shell-command.ts`). */
export function bashResponse(output: string, interrupted: boolean): BashResponse {
  return { stdout: output.replace(/\n+$/, ''), stderr: '', interrupted, isImage: false };
}

/** A command that goes on in the background. */
export function launchedResponse(backgroundTaskId: string): BashResponse {
  return { ...bashResponse('', false), backgroundTaskId };
}
