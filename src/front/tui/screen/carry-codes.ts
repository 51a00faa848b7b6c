/** Carries colour codes across wrapped rows: each opens the codes in force at its start, and closes them. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with one.
const CODES = /\u001b\[([\d;:]*)m/g;

export function carryCodes(rows: readonly string[]): string[] {
  const open = new Map<string, string>();
  return rows.map((row) => {
    const before = [...open.values()].join('');
    if (!row.includes('\u001b')) return before === '' ? row : `${before}${row}\u001b[0m`;
    for (const [code, numbers] of row.matchAll(CODES)) note(open, code, numbers ?? '');
    return `${before}${row}${open.size > 0 ? '\u001b[0m' : ''}`;
  });
}

function note(open: Map<string, string>, code: string, numbers: string): void {
  const first = Number.parseInt(numbers, 10) || 0;
  if (first === 0) {
    open.clear();
    return;
  }
  const closes = CLOSES[first];
  if (closes !== undefined) {
    for (const kind of closes) open.delete(kind);
    return;
  }
  open.set(kindOf(first), code);
}

/** A code that closes, and the kind it closes. */
const CLOSES: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['strike'],
  39: ['colour'],
  49: ['background'],
};

const KINDS: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  8: 'hidden',
  9: 'strike',
};

function kindOf(code: number): string {
  const isBackground = (code >= 40 && code <= 48) || (code >= 100 && code <= 107);
  return KINDS[code] ?? (isBackground ? 'background' : 'colour');
}
