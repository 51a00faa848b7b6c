/** The rules of a session: those of its settings, and those the person adds while it runs. */

import { addLocalRule } from '../config/settings/add-local-rule.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { Host } from '../host/host.js';
import { normalizeType } from '../protocol/agent-type.js';
import { parseRule, type Rule } from './permissions/rules/rule.js';

export interface SessionRules {
  all(): readonly Rule[];
  /** Whether a deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /**
   * Allows it from now on in this session and, if requested, in the project's local settings. Returns the reason if it
   * could not be saved there; it still applies to the session.
   */
  allow(rule: string, where: 'session' | 'local'): Promise<string | undefined>;
}

type SessionRulesOptions = {
  /** Its folder is the base of rules from the person's answers. */
  readonly host: Host;
  readonly projectRoot: string;
  readonly sources: readonly SourcedRule[];
  /** Called with a line about each rule that can't match. */
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
    isAgentDenied: (type) => rules.some((rule) => deniesAgent(rule, type)),
    allow: async (rule, where) => {
      add(rule, 'allow', { source: 'this session', base: options.host.folder });
      if (where !== 'local') return undefined;
      const saved = await addLocalRule(options.host, options.projectRoot, rule);
      return saved.ok ? undefined : saved.reason;
    },
  };
}

function deniesAgent({ behavior, tool, matches }: Rule, type: string): boolean {
  if (behavior !== 'deny' || tool !== 'Agent') return false;
  if (matches.kind === 'every') return true;
  return matches.kind === 'agent' && normalizeType(matches.type) === normalizeType(type);
}

/** `--allowedTools "Read,Bash(git log:*)"`: commas outside parentheses separate rules. */
function splitRules(list: string): string[] {
  return list
    .split(/,(?![^(]*\))/)
    .map((rule) => rule.trim())
    .filter(Boolean);
}
