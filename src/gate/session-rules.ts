/** The rules of a session: those of its settings, and those the person adds while it runs. */

import { addLocalRule } from '../config/settings/add-local-rule.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { Host } from '../host/host.js';
import { normalizeType } from '../protocol/agent-type.js';
import type { Asker } from './asker.js';
import { countsIn, type Place, rulesIn } from './permissions/rules/bound.js';
import { parseRule, type Rule, type RuleOrigin } from './permissions/rules/rule.js';

/** What decides which rules count for an agent. */
type Placed = Pick<Asker, 'cwd' | 'roots' | 'files'>;

export interface SessionRules {
  all(): readonly Rule[];
  /** The rules that count where the agent's shell is now. Deny and ask rules count everywhere. */
  countingFor(asker: Placed): readonly Rule[];
  /** Whether a deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /** Where a rule said in this place can be kept: not in the settings of another project. */
  placesToKeep(place: Place): readonly ('session' | 'local')[];
  /**
   * Allows it from now on in this root and, if requested, in the project's local settings. Returns the reason if it
   * could not be saved there; it still applies to the session.
   */
  allow(rule: string, root: string, where: 'session' | 'local'): Promise<string | undefined>;
}

type SessionRulesOptions = {
  readonly host: Host;
  readonly projectRoot: string;
  readonly sources: readonly SourcedRule[];
  /** Called with a line about each rule that can't match. */
  readonly warn: (line: string) => void;
};

export function createSessionRules(options: SessionRulesOptions): SessionRules {
  const rules: Rule[] = [];
  const project = { kind: 'project', folder: options.projectRoot } as const;
  const add = (text: string, behavior: Rule['behavior'], origin: RuleOrigin) => {
    const { rule, warning } = parseRule(text, behavior, origin);
    if (rule) rules.push(rule);
    if (warning) options.warn(`${origin.source}: ${warning}`);
  };
  for (const { rule, behavior, origin } of options.sources) {
    const { scope, file: source, folder: base } = origin;
    const ofProject = scope === 'project' || scope === 'local';
    for (const one of scope === 'command line' ? splitRules(rule) : [rule])
      add(one, behavior, ofProject && isAboutCommands(one) ? { source, base, bound: project } : { source, base });
  }
  return {
    all: () => rules,
    countingFor: (asker) => rulesIn(rules, [asker.cwd], asker),
    isAgentDenied: (type) => rules.some((rule) => deniesAgent(rule, type)),
    placesToKeep: (place) => (countsIn(project, place) ? ['session', 'local'] : ['session']),
    allow: async (rule, root, where) => {
      const isKnown = rules.some((one) => one.text === rule && one.origin.bound?.folder === root);
      if (!isKnown) add(rule, 'allow', answerOrigin(root));
      if (where !== 'local') return undefined;
      const saved = await addLocalRule(options.host, options.projectRoot, rule);
      return saved.ok ? undefined : saved.reason;
    },
  };
}

/** The origin of a rule that an answer in this root adds. */
export function answerOrigin(root: string): RuleOrigin {
  return { source: 'this session', base: root, bound: { kind: 'root', folder: root } };
}

/** Rules about files are bound by their paths already. */
function isAboutCommands(rule: string): boolean {
  return /^\s*Bash\b/.test(rule);
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
