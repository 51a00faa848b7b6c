/** Explains why `old_string` was not found, so that the model can correct it. */

const MAX_LINES = 50_000;
const MAX_COMPARED_CHARS = 300;
const MIN_LIKENESS = 0.5;

export function explainNoMatch(text: string, requested: string, path: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n').slice(0, MAX_LINES);
  const sought = requested.replaceAll('\r\n', '\n').split('\n');
  const start = `old_string was not found in ${path}.`;

  const unnumbered = sought.map((line) => line.replace(/^\s*\d+\t/, ''));
  if (sought.every((line) => line === '' || /^\s*\d+\t/.test(line)) && text.includes(unnumbered.join('\n'))) {
    return `${start} It contains the line numbers that Read adds: leave out the number and the tab.`;
  }
  const loose = findLoosely(lines, sought);
  if (loose !== undefined) {
    const end = loose + trimBlank(sought).length;
    const there = lines.slice(loose, end).slice(0, 20).map(showSpaces).join('\n');
    return `${start} The same text with different white space or quotes is at line ${loose + 1}. The file has (→ is a tab, · a space at the edge of a line):\n${there}`;
  }
  const near = findNearest(lines, sought);
  if (near !== undefined) return `${start} The nearest line is ${near + 1}: ${JSON.stringify(cut(lines[near] ?? ''))}`;
  return `${start} The file contains nothing similar; read it again.`;
}

/** Finds the line where `sought` begins, ignoring indentation, trailing and repeated blanks, and curly quotes. */
function findLoosely(lines: readonly string[], sought: readonly string[]): number | undefined {
  const requested = trimBlank(sought).map(loosely);
  if (requested.length === 0) return undefined;
  const present = lines.map(loosely);
  for (let at = 0; at + requested.length <= present.length; at++) {
    if (requested.every((line, index) => present[at + index] === line)) return at;
  }
  return undefined;
}

function loosely(line: string): string {
  return line
    .normalize('NFC')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\s\u00a0]+/g, ' ')
    .trim();
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return [];
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** The line most similar to the longest line of `sought`. */
function findNearest(lines: readonly string[], sought: readonly string[]): number | undefined {
  const requested = sought.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), '').trim();
  if (requested.length < 4) return undefined;
  const pairs = pairsOf(requested);
  let best: number | undefined;
  let likeness = MIN_LIKENESS;
  lines.forEach((line, index) => {
    const other = pairsOf(line.trim());
    let shared = 0;
    for (const pair of other) if (pairs.has(pair)) shared += 1;
    const score = (2 * shared) / (pairs.size + other.size);
    if (score <= likeness) return;
    likeness = score;
    best = index;
  });
  return best;
}

function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>();
  const end = Math.min(line.length, MAX_COMPARED_CHARS) - 1;
  for (let at = 0; at < end; at++) pairs.add(line.slice(at, at + 2));
  return pairs;
}

function showSpaces(line: string): string {
  return cut(line)
    .replaceAll('\t', '→')
    .replace(/^ +| +$/g, (run) => '·'.repeat(run.length));
}

function cut(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
