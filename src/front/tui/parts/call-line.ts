/** A call in one line: tool, argument, duration. Commands and paths are shown exactly (GT-20). */

import { isAbsolute, relative } from 'node:path';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import type { CallFields, ToolFacts } from '../../../protocol/tools/tool-facts.js';
import { member } from '../../view/describe/describe-call.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type CallText = { readonly name: string; readonly about: string };

const MOST_CHARS = 400;

/** Paths in it are relative to `cwd`, if they are below it. */
export function callText(tool: string, input: unknown, cwd: string): CallText {
  const facts = factsOf(tool);
  return { name: exact(facts.title ?? tool), about: exact(aboutCall(facts, input, cwd)) };
}

function aboutCall({ main, path, summary }: ToolFacts, input: unknown, cwd: string): string {
  const call = callFields(input, cwd);
  if (summary !== undefined) return summary(call);
  if (main === undefined) return fields(input);
  const [field = ''] = main.filter((one) => call.text(one) !== '');
  return field === path ? call.path(field) : call.text(field);
}

function callFields(input: unknown, cwd: string): CallFields {
  const value = (field: string) => member(input, field);
  const text = (field: string) => {
    const given = value(field);
    return typeof given === 'string' ? given : '';
  };
  return {
    value,
    text,
    firstLine: (field) => firstLine(text(field)),
    path: (field) => relativePath(text(field), cwd),
  };
}

/** For an unknown tool: its input as `name: value`. */
function fields(input: unknown): string {
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : shortJson(input);
  return Object.entries(input)
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value.slice(0, MOST_CHARS) : shortJson(value)}`)
    .join(', ');
}

const MOST_FIELDS = 12;

function shortJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, MOST_CHARS);
}

function firstLine(text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.length === 1 ? text.trimEnd() : `${lines[0]} … (+${plural(lines.length - 1, 'line')})`;
}

export function relativePath(path: string, cwd: string): string {
  if (path === '' || !isAbsolute(path)) return path;
  const found = relative(cwd, path);
  if (found === '') return '.';
  return found.startsWith('..') || isAbsolute(found) ? path : found;
}

function exact(text: string): string {
  const shown = escapeToLine(text.slice(0, MOST_CHARS).toWellFormed());
  return text.length > MOST_CHARS ? `${shown}…` : shown;
}

export type CallLineOptions = {
  readonly width: number;
  readonly theme: Theme;
  readonly cwd: string;
  /** Before the name, two columns wide. */
  readonly mark?: string;
  /** Facts after it, each after ` · `, styled already. They stay when the argument is cut. */
  readonly facts?: readonly string[];
  /** The same, directly after the argument. */
  readonly counts?: string;
};

/** One row; the argument is cut if there is no room. */
export function callLine(tool: string, input: unknown, options: CallLineOptions): string {
  const { width, theme, cwd, mark = '  ', facts = [], counts = '' } = options;
  const { name, about } = callText(tool, input, cwd);
  const after = `${counts === '' ? '' : ` ${counts}`}${facts.map((fact) => `${theme.dim(' · ')}${fact}`).join('')}`;
  const room = width - widthOf(mark) - widthOf(name) - 1 - widthOf(after);
  const shown = about === '' ? '' : room < 2 ? '' : ` ${clip(about, room)}`;
  return clip(`${mark}${theme.bold(name)}${shown}${after}`, width);
}
