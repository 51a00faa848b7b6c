/** The tool that a rule names: aliases, names of other programs, other case, and the nearest name for a hint. */

import { factsOf, TOOL_FACTS, toolNames } from '../../../protocol/tools/built-in-tools.js';

/** Names in rules written for other programs: an alias of a tool, and tools that read paths. */
const FOREIGN_ALIASES: ReadonlyMap<string, string> = new Map([['MultiEdit', 'Edit']]);
const FOREIGN_READERS: ReadonlySet<string> = new Set(['NotebookRead', 'LS']);

const KNOWN_NAMES: readonly string[] = [
  ...TOOL_FACTS.flatMap(({ name }) => toolNames(name)),
  ...FOREIGN_ALIASES.keys(),
  ...FOREIGN_READERS,
];

/** `wide`: in any case. */
export function canonicalTool(name: string, wide = false): string {
  const known = wide ? (sameInAnyCase(name) ?? name) : name;
  return FOREIGN_ALIASES.get(known) ?? factsOf(known).name;
}

function sameInAnyCase(name: string): string | undefined {
  if (KNOWN_NAMES.includes(name)) return name;
  return KNOWN_NAMES.find((known) => known.toLowerCase() === name.toLowerCase());
}

export function isKnownTool(name: string): boolean {
  return KNOWN_NAMES.includes(name);
}

/** True if a rule about one tool also covers the other, by their canonical names. */
export function coversTool(ruleTool: string, tool: string, wide = false): boolean {
  if (ruleTool === tool || (wide && ruleTool.toLowerCase() === tool.toLowerCase())) return true;
  return coveringTool(tool) === ruleTool;
}

/** The tool whose rules cover this one: Read or Edit. */
export function coveringTool(tool: string): string | undefined {
  return FOREIGN_READERS.has(tool) ? 'Read' : factsOf(tool).rule?.coveredBy;
}

/** What the parentheses of a rule about this tool contain. */
export function specifierKind(tool: string) {
  return FOREIGN_READERS.has(tool) ? 'path' : factsOf(tool).rule?.matches;
}

/** The tool that was probably meant: the same letters, or one of them missing, added, wrong or swapped. */
export function nearestTool(name: string): string | undefined {
  const wanted = name.toLowerCase();
  return sameInAnyCase(name) ?? KNOWN_NAMES.find((known) => isOneSlipApart(wanted, known.toLowerCase()));
}

function isOneSlipApart(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === right[1] + (right[0] ?? '') && right.length === 2;
}
