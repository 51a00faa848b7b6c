/** Describes the changes of a list that was announced to a model, within limits. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { joinSome, oneLine } from '../../protocol/text/one-line.js';

export type Listed = { readonly name: string; readonly description: string };

const MOST_TOLD = 50;
const MOST_CHARS = 300;

/** Undefined if there is none. */
export function describeListedChange(
  head: string,
  before: readonly Listed[],
  now: readonly Listed[],
): string | undefined {
  const old = new Map(before.map(({ name, description }) => [name, description]));
  const came = now.filter(({ name, description }) => old.get(name) !== description);
  const names = new Set(now.map(({ name }) => name));
  const gone = before.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  if (came.length + gone.length === 0) return undefined;
  return [
    head,
    ...(came.length > 0 ? ['Now there:', ...linesOf(came)] : []),
    ...(gone.length > 0 ? [`No longer there: ${joinSome(gone, MOST_NAMES)}`] : []),
  ].join('\n');
}

/** One line each; of very many, only the names. */
export function linesOf(listed: readonly Listed[]): readonly string[] {
  const lines = listed.slice(0, MOST_TOLD).map(({ name, description }) => {
    const line = escapeToLine(oneLine(description)).slice(0, MOST_CHARS);
    return line === '' ? `- ${name}` : `- ${name}: ${line}`;
  });
  const rest = listed.slice(MOST_TOLD).map(({ name }) => name);
  return rest.length > 0 ? [...lines, `and: ${joinSome(rest, MOST_NAMES)}`] : lines;
}

const MOST_NAMES = 500;
