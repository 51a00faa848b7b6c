/** Sequences apart from the screen content: bell, notifications, clipboard. Nothing in them can control the terminal (TU-30). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import { shorten } from '../../../protocol/text/one-line.js';

type Env = Readonly<Record<string, string | undefined>>;

const LONGEST_NOTICE = 200;
const LONGEST_TITLE = 80;
/** Terminals drop longer ones, and some of them everything that follows. */
const LONGEST_COPY = 74_994;

export const bell = '\u0007';

/** Notification sequences: iTerm2, ConEmu and many (9), urxvt and VTE (777), kitty (99). */
export type NotificationKind = 'osc9' | 'osc777' | 'osc99';

export function notification(
  kind: NotificationKind,
  { title, text }: { title: string; text: string },
  env: Env,
): string {
  const head = plain(title, LONGEST_TITLE);
  const body = plain(text, LONGEST_NOTICE);
  switch (kind) {
    case 'osc9':
      return wrapped(`\u001b]9;${head}: ${body}\u001b\\`, env);
    case 'osc777':
      // The parts are separated by semicolons.
      return wrapped(`\u001b]777;notify;${head.replaceAll(';', ',')};${body.replaceAll(';', ',')}\u001b\\`, env);
    case 'osc99':
      return wrapped(`\u001b]99;i=1:d=0;${head}\u001b\\\u001b]99;i=1:p=body;${body}\u001b\\`, env);
  }
}

/** The terminal's own clipboard, also over SSH. Undefined: the text is too long. */
export function clipboard(text: string, env: Env): string | undefined {
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > LONGEST_COPY) return undefined;
  const sequence = `\u001b]52;c;${encoded}\u001b\\`;
  // tmux takes it itself (set-clipboard), or passes it on (allow-passthrough): it does not report which is on.
  return env.TMUX ? sequence + wrapped(sequence, env) : wrapped(sequence, env);
}

/** tmux and screen pass on only wrapped sequences. With both, the inner one is the one we talk to. */
function wrapped(sequence: string, env: Env): string {
  if (env.TMUX) return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!env.STY) return sequence;
  // Screen ends it at the first `ESC \`, and takes no more than 256 bytes at once.
  const pieces = sequence.replace('\u001b\\', '\u0007').match(/.{1,240}/gs) ?? [];
  return pieces.map((piece) => `\u001bP${piece}\u001b\\`).join('');
}

function plain(text: string, most: number): string {
  const line = stripToLine(text).replaceAll('\t', ' ').trim();
  return shorten(line, most);
}
