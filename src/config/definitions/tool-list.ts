/** Reads tool names from a list, from text separated by commas or spaces, or from phrases like "all tools". Pure. */

import { isObject } from '../../protocol/json/json-values.js';
import { toolNames } from '../../protocol/tools/built-in-tools.js';
import type { ToolList } from './agent-definition.js';

export type ReadTools = {
  readonly tools: ToolList;
  /** From `Agent(a, b)`. */
  readonly spawns?: readonly string[];
  /** Tools switched off in a map (`write: false`). */
  readonly disallowed: readonly string[];
};

export function readTools(value: unknown): ReadTools {
  if (isSwitches(value)) return readSwitches(value);
  const names = readNames(value).map(canonicalName);
  if (names.some((name) => ALL.test(name))) return { tools: 'all', disallowed: [] };
  const tools: string[] = [];
  let spawns: readonly string[] | undefined;
  let anyType = false;
  for (const name of names) {
    const limited = /^Agent\((.*)\)$/s.exec(name)?.[1];
    if (limited !== undefined && !ALL.test(limited.trim())) spawns = [...(spawns ?? []), ...readNames(limited)];
    else if (limited !== undefined || name === 'Agent') anyType = true;
    tools.push(limited === undefined ? name : 'Agent');
  }
  const unique = [...new Set(tools)].filter((name) => !NONE.test(name));
  return { tools: unique, disallowed: [], ...(spawns === undefined || anyType ? {} : { spawns }) };
}

/** Names from a list or a string. Commas inside parentheses don't separate: `Agent(a, b)` is one name. */
export function readNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readNames);
  if (typeof value === 'object' && value !== null) return Object.keys(value).flatMap(readNames);
  if (value === null || value === undefined) return [];
  return splitNames(String(value))
    .map(bare)
    .filter((name) => name !== '');
}

const ALL = /^(\*|all|any|all (available )?tools|inherit( all)?)$/i;
const NONE = /^(none|no tools)$/i;

/** `Task` and `task(a, b)` mean Agent. */
export function canonicalName(name: string): string {
  return name.replace(AGENT_NAME, 'Agent');
}

const AGENT_NAME = new RegExp(`^(${toolNames('Agent').join('|')})(?=\\(|$)`, 'i');

function splitNames(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,;|\n]/.test(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].flatMap(splitSpaces);
}

/** Splits `Read Write Bash` and `Write and Edit`, but not "all tools": every word must look like a tool name. */
function splitSpaces(part: string): readonly string[] {
  const words = part
    .trim()
    .split(/\s+(?![^(]*\))/)
    .filter((word) => !/^(and|&|-|\*)$/i.test(word) || part.trim() === word);
  const likeNames = words.every((word) => /^\W*([A-Z][A-Za-z]*(\(.*\))?|mcp__[\w*-]+|[a-z]+_[a-z_]+)\W*$/s.test(word));
  const phrase = words.join(' ');
  return words.length > 1 && likeNames && !ALL.test(phrase) && !NONE.test(phrase) ? words : [phrase];
}

/** Strips list brackets, quotes, list markers and Markdown emphasis. */
function bare(part: string): string {
  const name = part
    .trim()
    .replace(/^[[\s]*([-•]\s+)?/, '')
    .replace(/^["'`]+/, '')
    .replace(/[\]\s]+$/, '')
    .replace(/["'`]+$/, '')
    .trim();
  return /^\*+$/.test(name) ? '*' : name.replace(/^\*\*(.*)\*\*$/, '$1');
}

function isSwitches(value: unknown): value is Readonly<Record<string, boolean>> {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every((member) => typeof member === 'boolean');
}

/** Reads a map of names to booleans. If all are false, it means "all tools except these". */
function readSwitches(switches: Readonly<Record<string, boolean>>): ReadTools {
  const named = (on: boolean) => Object.keys(switches).filter((name) => switches[name] === on);
  const on = named(true).map(canonicalName);
  const off = named(false).filter((name) => !ALL.test(name));
  const all = on.length === 0 || on.some((name) => ALL.test(name));
  return { tools: all ? 'all' : on, disallowed: off.map(canonicalName) };
}
