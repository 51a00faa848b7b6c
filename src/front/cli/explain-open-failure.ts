/** Prints to stderr why a session could not be opened; returns the exit code. */

import type { OpenFailure } from '../../engine/session-options.js';
import { escapeControls } from '../../protocol/escape-controls.js';
import { EXIT } from './exit-code.js';

export function explainOpenFailure({ kind, reason: message }: OpenFailure): number {
  // The text about a missing key contains nothing untrusted, and has line breaks.
  process.stderr.write(kind === 'no-key' ? `${message}\n` : `error: ${escapeControls(message)}\n`);
  return kind === 'usage' || kind === 'folder' ? EXIT.usage : EXIT.error;
}
