/** Prints to stderr why a session could not be opened; returns the exit code. */

import type { OpenFailure } from '../../engine/session-options.js';
import { makeVisible } from '../../protocol/make-visible.js';
import { EXIT } from './exit-code.js';

export function explainOpenFailure({ kind, reason: message }: OpenFailure): number {
  process.stderr.write(`${kind === 'no-key' ? '' : 'error: '}${makeVisible(message)}\n`);
  return kind === 'usage' || kind === 'folder' ? EXIT.usage : EXIT.error;
}
