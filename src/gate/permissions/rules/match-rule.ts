/** Matches a rule against a declared action. Commands are matched elsewhere, because one line can run many. */

import type { Action } from '../../../protocol/action.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import type { Resolver } from '../paths/resolver.js';
import type { Call } from '../policy.js';
import { isHostExactly, isHostWidely } from './host-pattern.js';
import { canonicalTool, coversTool, type Rule } from './rule.js';

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
    case 'agent': {
      if (action.kind !== 'spawn') return false;
      const { type } = rule.matches;
      return type === action.type || (wide && type.toLowerCase() === action.type.toLowerCase());
    }
    case 'skill':
      return action.kind === 'skill' && isAboutSkill(rule.matches, action.name, wide);
    case 'mcp':
      // A long name is declared shortened: a rule may use either form.
      if (rule.matches.name === call.tool) return true;
      return action.kind === 'mcp' && isAboutMcp(rule.matches.name, action, wide);
    default:
      return rule.matches satisfies never;
  }
}

/** Matches by the tool's name, or by what it does: a rule about editing covers every tool that edits. */
function isAboutTool(rule: Rule, call: Call, action: Action): boolean {
  if (coversTool(rule.tool, canonicalTool(call.tool))) return true;
  return factsOf(rule.tool).rule?.covers?.includes(action.kind) === true;
}

/** `Skill(x)` and `Skill(x *)` match with and without arguments; deny and ask rules ignore case and match short names. */
function isAboutSkill({ name, andBelow }: SkillMatch, called: string, wide: boolean): boolean {
  const fold = (text: string) => (wide ? text.normalize('NFC').toLowerCase() : text);
  const written = fold(name);
  const names = [called, ...(wide ? [called.slice(called.lastIndexOf(':') + 1)] : [])].map(fold);
  // Like `Bash(x:*)`, `Skill(x:*)` may be meant to forbid x itself.
  const itself = wide && andBelow ? written.replace(/:$/, '') : written;
  return names.some((meant) => meant === itself || (andBelow && meant.startsWith(written)));
}

type SkillMatch = Extract<Rule['matches'], { readonly kind: 'skill' }>;

type McpAction = Extract<Action, { readonly kind: 'mcp' }>;

/** Resources of a server are covered by rules about the whole server. */
function isAboutMcp(written: string, action: McpAction, wide: boolean): boolean {
  const server = `mcp__${action.server}`;
  if (written === server) return true;
  const tool = `${server}__${action.tool ?? ''}`;
  if (action.tool !== undefined && written === tool) return true;
  if (wide) return [tool, ...(action.also ?? [])].some((name) => matchesWidely(written, name));
  return written.endsWith('*') && written.length > server.length + 2 && tool.startsWith(written.slice(0, -1));
}

/** Deny and ask rules match a server under each of its names, and `*` may end within the server's name. */
function matchesWidely(written: string, name: string): boolean {
  // A declared name can't contain a dot.
  return [written, written.replaceAll('.', '_')].some((one) => {
    if (one.endsWith('*')) return name.startsWith(one.slice(0, -1));
    return name === one || name.startsWith(`${one}__`);
  });
}
