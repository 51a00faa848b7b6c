/** Decodes the bytes of a hand-written file, in any common encoding. Pure. */

export type DecodedText =
  | { readonly kind: 'text'; readonly text: string; readonly warning?: string }
  | { readonly kind: 'binary' };

export function decodeText(bytes: Uint8Array): DecodedText {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return wide('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return wide('utf-16be', bytes);
  if (bytes.includes(0)) return { kind: 'binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const warning = 'not valid UTF-8, read as Windows-1252: save the file as UTF-8';
    return { kind: 'text', text: new TextDecoder('windows-1252').decode(bytes), warning };
  }
}

function wide(encoding: 'utf-16le' | 'utf-16be', bytes: Uint8Array): DecodedText {
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) return { kind: 'binary' };
  return { kind: 'text', text, warning: `encoded as ${encoding.toUpperCase()}: save the file as UTF-8` };
}
