/** The session's rules, from settings and from the person's answers. */

import { normalizeType } from '../agents/catalog/agent-type.js';
import { addLocalRule } from '../config/settings/add-local-rule.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { SessionRules } from '../gate/ask/session-rules-port.js';
import { parseRule, type Rule } from '../gate/permissions/rules/rule.js';
import type { Host } from '../host/host.js';

export type SessionRulesOptions = {
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  readonly sources: readonly SourcedRule[];
  readonly warn: (line: string) => void;
};

export function createSessionRules(options: SessionRulesOptions): SessionRules {
  const rules: Rule[] = [];
  const add = (text: string, behavior: Rule['behavior'], origin: Rule['origin']) => {
    const { rule, warning } = parseRule(text, behavior, origin);
    if (rule) rules.push(rule);
    if (warning) options.warn(`${origin.source}: ${warning}`);
  };
  for (const { rule, behavior, origin } of options.sources) {
    for (const one of origin.scope === 'command line' ? splitRules(rule) : [rule])
      add(one, behavior, { source: origin.file, base: origin.folder });
  }
  return {
    all: () => rules,
    isTypeDenied: (type) =>
      rules.some(({ behavior, tool, matches }) => {
        if (behavior !== 'deny' || tool !== 'Agent') return false;
        if (matches.kind === 'every') return true;
        return matches.kind === 'agent' && normalizeType(matches.type) === normalizeType(type);
      }),
    allow: async (rule, where) => {
      add(rule, 'allow', { source: 'this session', base: options.folder });
      if (where !== 'local') return undefined;
      const saved = await addLocalRule(options.host, options.projectRoot, rule);
      return saved.ok ? undefined : saved.reason;
    },
  };
}

/** `--allowedTools "Read,Bash(git log:*)"`: commas outside parentheses separate rules. */
function splitRules(list: string): string[] {
  return list
    .split(/,(?![^(]*\))/)
    .map((rule) => rule.trim())
    .filter(Boolean);
}
