/** A permission rule: `Tool` or `Tool(specifier)`, parsed once, with its origin. */

import type { RuleBehavior } from '../../../protocol/permission.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import { type CommandPattern, readCommandPattern } from './command-pattern.js';
import { type HostPattern, readHostPattern } from './host-pattern.js';
import { type PathPattern, readPathPattern } from './path-pattern.js';
import type { RuleBound } from './rule-scope.js';

export type RuleOrigin = {
  /** The settings file, or a name such as `command line` or `this session`. */
  readonly source: string;
  /** The base folder of `/` patterns, absolute. */
  readonly base: string;
  /** An allow rule applies only there; everywhere if omitted. */
  readonly bound?: RuleBound;
};

export type Rule = {
  readonly behavior: RuleBehavior;
  readonly text: string;
  readonly origin: RuleOrigin;
  /** The tool it names, with aliases resolved. */
  readonly tool: string;
  readonly matches: Matches;
};

type Matches =
  | { readonly kind: 'every' }
  | { readonly kind: 'command'; readonly pattern: CommandPattern }
  | { readonly kind: 'path'; readonly pattern: PathPattern }
  | { readonly kind: 'host'; readonly pattern: HostPattern }
  | { readonly kind: 'agent'; readonly type: string }
  /** `andBelow`: all names that begin with it, `Skill(review:*)`. */
  | { readonly kind: 'skill'; readonly name: string; readonly andBelow: boolean }
  | { readonly kind: 'mcp'; readonly name: string };

/** `rule` is absent if the text can never match; `warning` gives the reason, or what is unusual about it. */
export type RuleReading = { readonly rule?: Rule; readonly warning?: string };

/** Names in rules written for other programs: an alias of a tool, and tools that read paths. */
const FOREIGN_ALIASES: ReadonlyMap<string, string> = new Map([['MultiEdit', 'Edit']]);
const FOREIGN_READERS: ReadonlySet<string> = new Set(['NotebookRead', 'LS']);

export function parseRule(given: string, behavior: RuleBehavior, origin: RuleOrigin): RuleReading {
  const text = given.trim();
  const open = text.indexOf('(');
  const tool = canonicalTool((open < 0 ? text : text.slice(0, open)).trim());
  if (!/^[A-Za-z][\w.*-]*$/.test(tool))
    return { warning: `${quote(text)} is not a rule: write Tool or Tool(specifier)` };
  const make = (matches: Matches, warning?: string): RuleReading => ({
    rule: { behavior, text, origin, tool, matches },
    ...(warning === undefined ? {} : { warning }),
  });
  if (tool.startsWith('mcp__')) return readMcp(tool, text, open, behavior, make);
  if (tool.includes('*')) return { warning: `${quote(text)} can never match: a tool name can't contain *` };
  if (open < 0) return make({ kind: 'every' });
  const closed = text.endsWith(')') && !/(?:^|[^\\])(?:\\\\)*\\\)$/.test(text);
  if (!closed && behavior === 'allow')
    return { warning: `${quote(text)} can never match: the ) at its end is missing` };
  const unclosed = closed ? undefined : `${quote(text)} has no ) at its end; it is read as if it had one`;
  const specifier = text.slice(open + 1, closed ? -1 : undefined).trim();
  const reading = readSpecifier(tool, specifier, behavior, origin);
  if ('warning' in reading && !('kind' in reading))
    return { warning: `${quote(text)} can never match: ${reading.warning}` };
  return make(reading as Matches, unclosed);
}

export function canonicalTool(name: string): string {
  return FOREIGN_ALIASES.get(name) ?? factsOf(name).name;
}

/** True if a rule about one tool also covers the other, by their canonical names. */
export function coversTool(ruleTool: string, tool: string): boolean {
  if (ruleTool === tool) return true;
  const coveredBy = FOREIGN_READERS.has(tool) ? 'Read' : factsOf(tool).rule?.coveredBy;
  return coveredBy === ruleTool;
}

function readSpecifier(
  tool: string,
  specifier: string,
  behavior: RuleBehavior,
  origin: RuleOrigin,
): Matches | { readonly warning: string } {
  if (specifier === '' || specifier === '*' || specifier === ':*') return { kind: 'every' };
  const kind = FOREIGN_READERS.has(tool) ? 'path' : factsOf(tool).rule?.matches;
  switch (kind) {
    case 'command': {
      const pattern = readCommandPattern(specifier, behavior);
      return 'warning' in pattern ? pattern : { kind, pattern };
    }
    case 'path': {
      const pattern = readPathPattern(unescapeParens(specifier), behavior, origin.base);
      return 'warning' in pattern ? pattern : { kind, pattern };
    }
    case 'host': {
      const pattern = readHostPattern(specifier);
      return 'warning' in pattern ? pattern : { kind, pattern };
    }
    case 'agent':
      return { kind, type: unescapeParens(specifier) };
    case 'skill':
      return readSkill(unescapeParens(specifier));
    case undefined:
      return { warning: `${tool} takes no parentheses` };
    default:
      return kind satisfies never;
  }
}

function readMcp(
  name: string,
  text: string,
  open: number,
  behavior: RuleBehavior,
  make: (matches: Matches) => RuleReading,
): RuleReading {
  if (open >= 0) return { warning: `${quote(text)} can never match: rules for MCP tools take no parentheses` };
  const star = name.indexOf('*');
  if (star >= 0 && star < name.length - 1)
    return { warning: `${quote(text)} can never match: * may only be at its end` };
  // A deny or ask rule may cover all servers, or all whose names begin with the text.
  const isOpen =
    behavior === 'allow'
      ? /^mcp__(?:(?!__).)*\*?$/.test(name) && (name.endsWith('*') || name === 'mcp__')
      : name === 'mcp__';
  if (isOpen) return { warning: `${quote(text)} can never match: name the server` };
  return make({ kind: 'mcp', name });
}

/** `deploy`, `/deploy`, `deploy *` (with any arguments), `review:*` (all that begin with `review:`). */
function readSkill(specifier: string): Matches | { readonly warning: string } {
  const written = specifier.replace(/^\//, '').replace(/\s+\*$/, '');
  const andBelow = written.endsWith('*');
  const name = andBelow ? written.slice(0, -1) : written;
  if (name === '' || name.includes('*')) return { warning: '* may only be at the end of the name of a skill' };
  return { kind: 'skill', name, andBelow };
}

function unescapeParens(specifier: string): string {
  return specifier.replace(/\\([()])/g, '$1');
}

function quote(text: string): string {
  return `Rule "${text}"`;
}
