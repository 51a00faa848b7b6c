/** Decodes and encodes text files, preserving their encoding and line endings. */

import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1';

export type DecodedText = { readonly text: string; readonly encoding: TextEncoding };

const SNIFF_BYTES = 8192;

/** Detects the encoding by the first bytes. Only a byte order mark means UTF-16: a wrong guess would corrupt an edit. */
export function markedEncoding(head: Buffer): 'utf-8-bom' | 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8-bom';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** True if there is a NUL near the beginning and no UTF-16 byte order mark. */
export function looksBinary(head: Buffer): boolean {
  const marked = markedEncoding(head);
  if (marked === 'utf-16le' || marked === 'utf-16be') return false;
  return head.subarray(0, SNIFF_BYTES).includes(0);
}

/** Encoding the result gives the same bytes back. Undefined only for UTF-16 with an odd number of bytes. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  switch (markedEncoding(bytes)) {
    case 'utf-8-bom':
      return isUtf8(bytes) ? { text: bytes.toString('utf8', 3), encoding: 'utf-8-bom' } : latin1(bytes);
    case 'utf-16le':
      return bytes.length % 2 === 0 ? { text: bytes.toString('utf16le', 2), encoding: 'utf-16le' } : undefined;
    case 'utf-16be':
      if (bytes.length % 2 !== 0) return undefined;
      return { text: Buffer.from(bytes).swap16().toString('utf16le', 2), encoding: 'utf-16be' };
    case undefined:
      return isUtf8(bytes) ? { text: bytes.toString('utf8'), encoding: 'utf-8' } : latin1(bytes);
  }
}

/** Includes the byte order mark of the encoding. Undefined if the encoding can't represent the text. */
export function encodeText(text: string, encoding: TextEncoding): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-8-bom':
      return Buffer.from(`\uFEFF${text}`, 'utf8');
    case 'utf-16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    case 'latin1':
      return fitsLatin1(text) ? Buffer.from(text, 'latin1') : undefined;
  }
}

export type LineEnding = 'all-lf' | 'all-crlf' | 'mixed-lf' | 'mixed-crlf';

/** The most frequent line ending. LF for a text without line endings. */
export function lineEnding(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') crlf += 1;
    else lf += 1;
  }
  if (crlf === 0) return 'all-lf';
  if (lf === 0) return 'all-crlf';
  return crlf > lf ? 'mixed-crlf' : 'mixed-lf';
}

function latin1(bytes: Buffer): DecodedText {
  return { text: bytes.toString('latin1'), encoding: 'latin1' };
}

function fitsLatin1(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}
