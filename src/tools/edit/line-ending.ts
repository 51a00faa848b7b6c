/** Which line endings a text has. */

export type LineEnding = 'all-lf' | 'all-crlf' | 'mixed-lf' | 'mixed-crlf';

/** A mixed text is named after what it has more of; a text without any line ends counts as LF. */
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
