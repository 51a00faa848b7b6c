/** Suggests the narrowest rule that covers a call: what was shown and nothing wider (GT-11). */

import type { Call } from './policy.js';
import { parseRule } from './rules/rule.js';

/** Undefined if every possible rule would be wider than the call. */
export function suggestRule(call: Pick<Call, 'actions' | 'tool' | 'cwd'>): string | undefined {
  const [action, ...more] = call.actions;
  if (action === undefined || more.length > 0) return undefined;
  switch (action.kind) {
    case 'shell':
      return suggestCommand(action.command);
    case 'read':
      return suggestPath('Read', action.path);
    case 'edit':
      return suggestPath('Edit', action.path);
    case 'search':
      return action.path.startsWith('/') ? suggestPath('Read', action.path.replace(/\/$/, ''), '/**') : undefined;
    case 'fetch':
      return suggestHost(action.url);
    case 'spawn':
      return `Agent(${action.type.replace(/[()]/g, '\\$&')})`;
    case 'mcp':
      return /^[\w.-]+$/.test(action.server + action.tool) ? `mcp__${action.server}__${action.tool}` : undefined;
    case 'grant':
    case 'session':
    case 'custom':
      return undefined;
    default:
      return action satisfies never;
  }
}

/** Nobody reads a longer one before choosing "always". */
const LONGEST_RULE = 2_000;

function suggestCommand(command: string): string | undefined {
  const text = command.trim();
  if (text.length > LONGEST_RULE) return undefined;
  const rule = `Bash(${text.replace(/[()*\\]/g, '\\$&')})`;
  const { rule: read } = parseRule(rule, 'allow', { source: '', base: '/' });
  // A text that a rule would parse as something else gets no rule.
  const same =
    read?.matches.kind === 'command' && read.matches.pattern.form === 'exact' && read.matches.pattern.text === text;
  return same ? rule : undefined;
}

function suggestPath(tool: string, path: string, tail = ''): string | undefined {
  // Control characters and trailing spaces have no reliable spelling in a pattern.
  if (!path.startsWith('/') || /[\p{Cc}]|\s$/u.test(path)) return undefined;
  const escaped = path.replace(/[*?[\]!#\\()]/g, '\\$&');
  return `${tool}(/${escaped}${tail})`;
}

function suggestHost(url: string): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^[\w.-]+$/.test(host) && !host.endsWith('.') ? `WebFetch(domain:${host})` : undefined;
}
