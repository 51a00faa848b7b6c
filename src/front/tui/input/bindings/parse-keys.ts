/** Parses keys as people write them (`Ctrl+K`, `meta+p`, `ctrl+x ctrl+b`; tmux: `C-b`) into the names of key events. */

const MODIFIERS: Readonly<Record<string, 'super' | 'ctrl' | 'alt' | 'shift'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  shift: 'shift',
  alt: 'alt',
  opt: 'alt',
  option: 'alt',
  meta: 'alt',
  cmd: 'super',
  command: 'super',
  super: 'super',
  win: 'super',
};

const NAMES: Readonly<Record<string, string>> = {
  escape: 'esc',
  return: 'enter',
  del: 'delete',
  ins: 'insert',
  bksp: 'backspace',
  pgup: 'pageup',
  pgdn: 'pagedown',
};
const NAMED =
  /^(esc|enter|tab|space|backspace|delete|insert|up|down|left|right|home|end|pageup|pagedown|f([1-9]|[12]\d|3[0-5]))$/;

/** Several keys are pressed one after the other. Undefined: not a key. */
export function parseKeys(words: string): string | undefined {
  const keys = words
    .trim()
    .split(/\s+/)
    .map((word) => parseKey(word));
  return keys.every((key) => key !== undefined) ? keys.join(' ') : undefined;
}

/** The prefix key in tmux's notation. Undefined: it has none. */
export function parseTmuxKey(word: string): string | undefined {
  const match = /^((?:[CMS]-)*)(.+)$/.exec(word.trim());
  if (match === null || match[2] === 'None') return undefined;
  const modifiers = (match[1] ?? '').replaceAll('C-', 'ctrl+').replaceAll('M-', 'alt+').replaceAll('S-', 'shift+');
  return parseKey(modifiers + match[2]);
}

function parseKey(word: string): string | undefined {
  // The key itself may be a plus.
  const parts = word.endsWith('+') ? [...word.slice(0, -1).split('+').slice(0, -1), '+'] : word.split('+');
  const written = parts.at(-1) ?? '';
  const modifiers = new Set(parts.slice(0, -1).map((part) => MODIFIERS[part.toLowerCase()]));
  if (modifiers.has(undefined)) return undefined;
  const lower = written.toLowerCase();
  const name = NAMES[lower] ?? lower;
  if (NAMED.test(name)) return withModifiers(modifiers, name);
  if ([...written].length !== 1) return undefined;
  // A lone capital is shift with the letter; with other modifiers it is only a way of writing.
  if (modifiers.size === 0) return written;
  const isCapital =
    modifiers.has('shift') && !modifiers.has('ctrl') && !modifiers.has('super') && lower !== lower.toUpperCase();
  if (!isCapital) return withModifiers(modifiers, lower);
  modifiers.delete('shift');
  return withModifiers(modifiers, lower.toUpperCase());
}

function withModifiers(modifiers: ReadonlySet<string | undefined>, name: string): string {
  const prefix = ['super', 'ctrl', 'alt', 'shift'].filter((modifier) => modifiers.has(modifier));
  return [...prefix, name].join('+');
}
