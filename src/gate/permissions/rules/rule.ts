/**
 * A permission rule: `Tool` or `Tool(specifier)`, parsed once, with its origin. What an allow rule does not say plainly, it
 * does not allow. A deny or ask rule is never lost: it matches wider, or is an error that stops the start (GT-33).
 */

import type { RuleBehavior } from '../../../protocol/permission.js';
import { type CommandPattern, readCommandPattern } from './command-pattern.js';
import { type HostPattern, readHostPattern } from './host-pattern.js';
import { type PathPattern, readPathPattern } from './path-pattern.js';
import type { RuleBound } from './rule-scope.js';
import { canonicalTool, coveringTool, isKnownTool, nearestTool, specifierKind } from './tool-names.js';

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
  /** `andBelow`: all names that begin with it, `Skill(review:*)`. In deny and ask rules, names may contain `*`. */
  | { readonly kind: 'skill'; readonly name: string; readonly andBelow: boolean }
  | { readonly kind: 'mcp'; readonly name: string };

/** True if it was given for this session: on the command line, or by an answer. */
export function isSaidHere({ origin }: Rule): boolean {
  return /^(?:command line|this session)/.test(origin.source);
}

/**
 * `rule` is absent if the text can never match; `warning` gives the reason, or what is unusual about it. `error`: a deny or
 * ask rule that can't be applied as it is; its `rule` covers the whole tool, if it names one.
 */
export type RuleReading = { readonly rule?: Rule; readonly warning?: string; readonly error?: string };

export function parseRule(given: string, behavior: RuleBehavior, origin: RuleOrigin): RuleReading {
  const wide = behavior !== 'allow';
  const text = given.trim();
  const read = wide ? text.replace(INVISIBLE, '').replace(/[\s,;]+$/, '') : text;
  const open = read.indexOf('(');
  const name = (open < 0 ? read : read.slice(0, open)).trim();
  const tool = canonicalTool(name, wide);
  const reading = readRule({ read, open, name, tool, wide, behavior, base: origin.base });
  const matches = reading.matches ?? (wide && reading.tool !== undefined ? EVERY : undefined);
  return {
    ...(matches ? { rule: { behavior, text, origin, tool: reading.tool ?? tool, matches } } : {}),
    ...('problem' in reading ? explain(text, reading.problem, wide) : {}),
    ...('note' in reading ? { warning: `${quote(text)} ${reading.note}` } : {}),
  };
}

const EVERY: Matches = { kind: 'every' };

/** Characters that nobody sees, and that come along when a rule is copied. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

function explain(text: string, problem: string, wide: boolean): Pick<RuleReading, 'warning' | 'error'> {
  return wide
    ? { error: `${quote(text)} can't be applied: ${problem}` }
    : { warning: `${quote(text)} can never match: ${problem}` };
}

type RuleText = {
  readonly read: string;
  /** The index of the first parenthesis, or -1. */
  readonly open: number;
  /** As written, and the tool that it means. */
  readonly name: string;
  readonly tool: string;
  readonly wide: boolean;
  readonly behavior: RuleBehavior;
  readonly base: string;
};

/** `note`: it matches, but perhaps not as meant. `problem`: it can't be read; a `tool` is what it is about nevertheless. */
type Read =
  | { readonly tool: string; readonly matches: Matches; readonly note?: string }
  | { readonly tool?: string; readonly matches?: undefined; readonly problem: string };

function readRule(rule: RuleText): Read {
  const { read, open, name, tool, wide } = rule;
  if (/^mcp__/i.test(name)) return readMcp(rule);
  if (name.includes('*') && /^[\w.*-]+$/.test(name))
    return { problem: "a tool name can't contain * (name each tool; mcp__* is every tool of a server)" };
  if (!/^[A-Za-z][\w.-]*$/.test(name)) return { problem: `it is not a rule: write ${meantRule(read)}` };
  const near = isKnownTool(tool) ? undefined : nearestTool(name);
  if (open < 0) {
    if (near === undefined) return { tool, matches: EVERY };
    return { tool, matches: EVERY, note: `names no known tool (did you mean ${near}?)` };
  }
  const end = readEnd(read, wide);
  if ('problem' in end) return { tool, ...end };
  const specifier = read.slice(open + 1, end.end).trim();
  if (specifierKind(tool) === undefined && specifier !== '' && !isEvery(specifier)) {
    if (isKnownTool(tool) && !wide) return { tool, problem: `${tool} takes no parentheses: write ${tool}` };
    if (isKnownTool(tool)) return { tool, matches: EVERY, note: `covers all of ${tool}, which takes no parentheses` };
    const meant = near === undefined ? '' : ` (did you mean ${near}(${specifier})?)`;
    if (!wide) return { tool, problem: `there is no tool ${name} that takes parentheses${meant}` };
    return { tool, matches: EVERY, note: `covers all of ${name}, but no known tool has this name${meant}` };
  }
  if (isEvery(specifier)) return { tool, matches: EVERY, ...end.note };
  const reading = readSpecifier(rule, wide ? withoutQuotes(specifier) : specifier);
  return 'problem' in reading ? reading : { ...reading, ...end.note };
}

/** `Bash:npm test` → `Bash(npm test)`. */
function meantRule(read: string): string {
  const [, tool = '', specifier = ''] = /^([A-Za-z]\w*)[:=]\s*([^()]*)$/.exec(read) ?? [];
  if (!isKnownTool(tool)) return 'Tool or Tool(specifier)';
  return isEvery(specifier.trim()) ? tool : `${tool}(${specifier.trim()})`;
}

function isEvery(specifier: string): boolean {
  return specifier === '' || specifier === '*' || specifier === ':*';
}

type End = { readonly end: number; readonly note?: { readonly note: string } } | { readonly problem: string };

/** Where the specifier ends. Nothing may follow it: two rules in one text would be neither. */
function readEnd(read: string, wide: boolean): End {
  const closed = read.endsWith(')') && !/(?:^|[^\\])(?:\\\\)*\\\)$/.test(read);
  if (/(?<!\\)\)[\s,;]+\w+\(/.test(read)) return { problem: 'it contains several rules: write each as its own text' };
  if (closed) return { end: read.length - 1 };
  if (!wide) {
    const what = /(?<!\\)\)/.test(read) ? 'something follows its last )' : 'the ) at its end is missing';
    return { problem: `${what}: write ${closedForm(read)}` };
  }
  if (/(?<!\\)\)/.test(read)) return { problem: 'something follows its last )' };
  return { end: read.length, note: { note: 'has no ) at its end; it is read as if it had one' } };
}

/** `Edit(src/**` → `Edit(src/**)`, `Bash(npm test)*` → `Bash(npm test:*)`. */
function closedForm(read: string): string {
  const [, inside, after] = /^([^)]*)\)(.*)$/s.exec(read) ?? [undefined, read, ''];
  return `${inside}${/^:?\*$/.test(after ?? '') ? ':*' : ''})`;
}

function withoutQuotes(specifier: string): string {
  return /^(["'`])(.*)\1$/s.exec(specifier)?.[2]?.trim() || specifier;
}

function readSpecifier(rule: RuleText, specifier: string): Read {
  const { tool, wide, behavior, base } = rule;
  const kind = specifierKind(tool);
  switch (kind) {
    case 'command': {
      const pattern = readCommandPattern(specifier, behavior);
      if ('warning' in pattern) return { tool, problem: pattern.warning };
      return { tool, matches: { kind, pattern }, ...(pattern.note ? { note: pattern.note } : {}) };
    }
    case 'path': {
      const pattern = readPathPattern(unescapeParens(specifier), behavior, base);
      // What one tool must not read or change, no other tool and no command may.
      const about = wide ? (coveringTool(tool) ?? tool) : tool;
      if ('warning' in pattern) return { tool: about, problem: pattern.warning };
      return {
        tool: about,
        matches: { kind, pattern },
        ...(pattern.note ? { note: `may be a mistake: ${pattern.note}` } : {}),
      };
    }
    case 'host': {
      const pattern = readHostPattern(specifier, behavior);
      return 'warning' in pattern ? { tool, problem: pattern.warning } : { tool, matches: { kind, pattern } };
    }
    case 'agent': {
      const type = unescapeParens(specifier);
      if (!wide && type.includes('*')) return { tool, problem: `an allow rule names one type: write ${tool}(type)` };
      return { tool, matches: { kind, type } };
    }
    case 'skill':
      return readSkill(tool, unescapeParens(specifier), wide);
    case undefined:
      return { tool, matches: EVERY };
    default:
      return kind satisfies never;
  }
}

function readMcp({ name, read, open, wide }: RuleText): Read {
  const written = wide ? name.toLowerCase() : name;
  if (wide) {
    const tool = written === 'mcp__' ? 'mcp__*' : written;
    const matches: Matches = { kind: 'mcp', name: tool };
    return open < 0
      ? { tool, matches }
      : { tool, matches, note: `covers all of ${tool}; one tool is mcp__server__tool, without parentheses` };
  }
  const inner = read
    .slice(open + 1)
    .replace(/\)$/, '')
    .trim();
  if (open >= 0)
    return {
      problem: `rules for MCP tools take no parentheses: write ${/^\w+$/.test(inner) ? `${name}__${inner}` : name}`,
    };
  if (!/^[\w.*-]+$/.test(written)) return { problem: 'it is not a rule: write mcp__server or mcp__server__tool' };
  const star = name.indexOf('*');
  if (star >= 0 && star < name.length - 1)
    return { problem: 'in an allow rule, * may only be at its end: name the server and the tool' };
  const isOpen = /^mcp__(?:(?!__).)*\*?$/.test(name) && (name.endsWith('*') || name === 'mcp__');
  return isOpen ? { problem: 'name the server: mcp__server' } : { tool: name, matches: { kind: 'mcp', name } };
}

/** `deploy`, `/deploy`, `deploy *` (with any arguments), `review:*` (all that begin with `review:`). */
function readSkill(tool: string, specifier: string, wide: boolean): Read {
  const written = specifier.replace(/^\//, '').replace(/\s+\*$/, '');
  const andBelow = written.endsWith('*');
  const name = andBelow ? written.replace(/\*+$/, '') : written;
  if (name.trim() === '' || name === ' *')
    return { tool, problem: 'it names no skill: write Skill(name), or Skill for all of them' };
  if (!wide && (name.includes('*') || written.endsWith('**')))
    return { tool, problem: 'in an allow rule, * may only be at the end of the name of a skill' };
  return { tool, matches: { kind: 'skill', name, andBelow } };
}

function unescapeParens(specifier: string): string {
  return specifier.replace(/\\([()])/g, '$1');
}

const LONGEST_SHOWN = 200;

function quote(text: string): string {
  return `Rule "${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text}"`;
}
