/**
 * Tests whether a rule could apply to a call, from the tool's name and input alone. For the `if` of hooks: no side
 * effects, and in doubt the answer is yes.
 */

import { resolve } from 'node:path';
import { isHostWidely } from './rules/host-pattern.js';
import { isAboutAgent, isAboutServerTool, isAboutSkill } from './rules/match-rule.js';
import { matchPath } from './rules/path-pattern.js';
import { parseRule, type Rule } from './rules/rule.js';
import { canonicalTool, coversTool } from './rules/tool-names.js';
import { readCommand } from './shell/reading/read-command.js';
import { findCommandRule } from './shell/restrictions/find-command-rule.js';
import { reachCommands } from './shell/restrictions/reach-commands.js';

export function couldMatchRule(
  text: string,
  tool: string,
  input: unknown,
  at: { readonly cwd: string; readonly home: string },
): boolean {
  const { rule } = parseRule(text, 'ask', { source: 'hook', base: at.cwd });
  if (rule === undefined) return true;
  const name = canonicalTool(tool);
  const { matches } = rule;
  if (matches.kind === 'mcp') return isAboutServerTool(matches.name, [name]);
  if (!coversTool(rule.tool, name, true)) return false;
  const field = (...keys: readonly string[]) => textField(input, keys);
  switch (matches.kind) {
    case 'every':
      return true;
    case 'command':
      return couldBeCommand(rule, field('command'));
    case 'path': {
      const path = field('file_path', 'notebook_path', 'path');
      const folders = { home: at.home, working: [at.cwd] };
      return path === undefined || matchPath(matches.pattern, resolve(at.cwd, path), folders, true);
    }
    case 'host': {
      const url = field('url');
      return url === undefined || isHostWidely(matches.pattern, url);
    }
    case 'agent': {
      const type = field('subagent_type', 'type');
      return type === undefined || isAboutAgent(matches.type, type, true);
    }
    case 'skill': {
      const name = field('skill')?.replace(/^\//, '');
      return name === undefined || isAboutSkill(matches, name, true);
    }
    default:
      return matches satisfies never;
  }
}

function couldBeCommand(rule: Rule, command: string | undefined): boolean {
  if (command === undefined) return true;
  const reading = readCommand(command);
  const found = findCommandRule([rule], reading, reachCommands(reading));
  return found.sure !== undefined || found.maybe !== undefined;
}

function textField(input: unknown, keys: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of keys) {
    const value: unknown = (input as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
