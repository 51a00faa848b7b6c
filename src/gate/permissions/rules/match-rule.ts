/** Matches a rule against a declared action. Commands are matched elsewhere, because one line can run many. */

import type { Action } from '../../../protocol/action.js';
import { normalizeType } from '../../../protocol/agent-spawned.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import type { Resolver } from '../paths/resolver.js';
import type { Call } from '../policy.js';
import { matchStars } from './command-pattern.js';
import { isHostExactly, isHostWidely } from './host-pattern.js';
import type { Rule } from './rule.js';
import { canonicalTool, coversTool } from './tool-names.js';

export function matchRule(rule: Rule, call: Call, action: Action, resolver: Resolver): boolean {
  const wide = rule.behavior !== 'allow';
  switch (rule.matches.kind) {
    case 'every':
      return isAboutTool(rule, call, action);
    case 'command':
      return false;
    case 'path': {
      if (action.kind !== 'read' && action.kind !== 'search' && action.kind !== 'edit') return false;
      if (!isAboutTool(rule, call, action)) return false;
      const path = resolver.resolve(action.path, call.cwd);
      return resolver.matches(rule.matches.pattern, path, wide, action.kind === 'search');
    }
    case 'host': {
      if (action.kind !== 'fetch') return false;
      return wide ? isHostWidely(rule.matches.pattern, action.url) : isHostExactly(rule.matches.pattern, action.url);
    }
    case 'agent':
      return action.kind === 'spawn' && isAboutAgent(rule.matches.type, action.type, wide);
    case 'skill':
      return action.kind === 'skill' && isAboutSkill(rule.matches, action.name, wide);
    case 'mcp': {
      const { name } = rule.matches;
      // A long name is declared shortened: a rule may use either form.
      if (name === call.tool) return true;
      if (action.kind !== 'mcp') return wide && isAboutServerTool(name, [call.tool]);
      const full = `mcp__${action.server}__${action.tool ?? ''}`;
      return wide ? isAboutServerTool(name, [call.tool, full, ...(action.also ?? [])]) : isAllowedMcp(name, action);
    }
    default:
      return rule.matches satisfies never;
  }
}

/** Matches by the tool's name, or by what it does: a rule about editing covers every tool that edits. */
function isAboutTool(rule: Rule, call: Call, action: Action): boolean {
  if (coversTool(rule.tool, canonicalTool(call.tool), rule.behavior !== 'allow')) return true;
  return factsOf(rule.tool).rule?.covers?.includes(action.kind) === true;
}

/** Deny and ask rules take `*`, ignore how a type is written, and match a plugin's agent by its own name, too. */
export function isAboutAgent(written: string, type: string, wide: boolean): boolean {
  if (!wide) return written === type;
  return [type, shortName(type)].some((name) => matchStars(normalizeType(written), normalizeType(name)));
}

/** `Skill(x)` and `Skill(x *)` match with and without arguments; deny and ask rules ignore case and match short names. */
export function isAboutSkill({ name, andBelow }: SkillMatch, called: string, wide: boolean): boolean {
  if (!wide) return called === name || (andBelow && called.startsWith(name));
  const fold = (text: string) => text.normalize('NFC').toLowerCase();
  const written = fold(name);
  // Like `Bash(x:*)`, `Skill(x:*)` may be meant to forbid x itself.
  const patterns = andBelow ? [written.replace(/:$/, ''), `${written}*`] : [written];
  return [called, shortName(called)].some((meant) => patterns.some((pattern) => matchStars(pattern, fold(meant))));
}

type SkillMatch = Extract<Rule['matches'], { readonly kind: 'skill' }>;

/** Without the plugin it comes from. */
function shortName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** For deny and ask rules: a server under each of its names, in any case; `*` may be anywhere. */
export function isAboutServerTool(written: string, names: readonly string[]): boolean {
  // A declared name contains only these characters, and no `__` of a server's own.
  const plain = written.replace(/[^a-z0-9_*-]/gi, '_');
  const patterns = [written, plain, plain.replace(/_+$/, '')].map((pattern) => pattern.toLowerCase());
  return names.some((name) => {
    const called = name.toLowerCase();
    return patterns.some((pattern) => matchStars(pattern, called) || matchStars(`${pattern}__*`, called));
  });
}

type McpAction = Extract<Action, { readonly kind: 'mcp' }>;

/** Resources of a server are covered by rules about the whole server. */
function isAllowedMcp(written: string, action: McpAction): boolean {
  const server = `mcp__${action.server}`;
  if (written === server) return true;
  const tool = `${server}__${action.tool ?? ''}`;
  if (action.tool !== undefined && written === tool) return true;
  return written.endsWith('*') && written.length > server.length + 2 && tool.startsWith(written.slice(0, -1));
}
