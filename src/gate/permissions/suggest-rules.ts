/** Suggests rules that cover a call, narrowest first: exactly what was shown, then a prefix where one makes sense. */

import type { Action } from '../../protocol/action.js';
import type { Call } from './policy.js';
import { prefixOf } from './prefix-programs.js';
import { parseRule } from './rules/rule.js';
import { readCommand } from './shell/reading/read-command.js';

/** Empty if every possible rule would be wider than the call. Whether a rule would allow it is judged elsewhere. */
export function suggestRules(call: Pick<Call, 'actions'>): readonly string[] {
  const [action, ...more] = call.actions;
  if (action === undefined || more.length > 0) return [];
  if (action.kind === 'shell') return [...listed(suggestCommand(action.command)), ...suggestPrefixes(action.command)];
  return listed(suggestRule(action));
}

function suggestRule(action: Exclude<Action, { kind: 'shell' }>): string | undefined {
  switch (action.kind) {
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
      // The rule that covers reading also covers all the server's tools.
      if (action.tool === undefined) return undefined;
      return /^[\w.-]+$/.test(action.server + action.tool) ? `mcp__${action.server}__${action.tool}` : undefined;
    case 'skill':
      return `Skill(${action.name.replace(/[()]/g, '\\$&')})`;
    case 'web-search':
      return 'WebSearch';
    case 'plan':
    case 'grant':
    case 'session':
    case 'custom':
      return undefined;
    default:
      return action satisfies never;
  }
}

/** Nobody would read a longer one before choosing "always". */
const LONGEST_RULE = 2_000;
const MOST_COMMANDS = 8;

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

/** One for each command in the line that has one: the others may already be allowed. */
export function suggestPrefixes(command: string): readonly string[] {
  const reading = readCommand(command);
  if (!reading.parsed || reading.commands.length > MOST_COMMANDS) return [];
  const rules = reading.commands.flatMap(({ words }) => {
    const prefix = prefixOf(words.map((word) => (word.plain ? (word.value ?? COMPUTED) : COMPUTED)));
    return prefix === undefined || prefix.includes(COMPUTED) ? [] : [`Bash(${prefix.join(' ')}:*)`];
  });
  return [...new Set(rules)];
}

/** No rule names it. */
const COMPUTED = '\0';

function listed<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one];
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
