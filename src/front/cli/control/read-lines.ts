/** Splits the input of a client into lines of bounded length: a line that is too long is an error and is not held in memory. */

import { isUtf8 } from 'node:buffer';

export type InputLine = { readonly text: string; readonly isExact: boolean } | { readonly tooLong: number };

/** Above the largest request of the API: 32 MB, as base64. */
const LONGEST_LINE = 64 * 1024 * 1024;

const NEW_LINE = 0x0a;

export async function* readLines(input: AsyncIterable<Uint8Array>, longest = LONGEST_LINE): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  };
  const take = (): InputLine => {
    const line = length > longest ? { tooLong: length } : textOf(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      yield take();
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}

/** Not exact: the line is not valid UTF-8. */
function textOf(parts: readonly Uint8Array[]): InputLine {
  const bytes = Buffer.concat(parts);
  return { text: bytes.toString('utf8'), isExact: isUtf8(bytes) };
}
