/** The rules of a session: those of its settings, and those that the user adds while it runs. */

import { userHome } from '../config/paths.js';
import { addLocalRule } from '../config/settings/add-local-rule.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import { isOfProject } from '../config/settings/merge-settings.js';
import type { Host } from '../host/host.js';
import { isAboutAgent } from './permissions/rules/match-rule.js';
import { parseRule, type Rule, type RuleOrigin } from './permissions/rules/rule.js';
import { appliesIn, type RuleScope, rulesIn } from './permissions/rules/rule-scope.js';
import { rulesInWorktree } from './permissions/rules/rules-in-worktree.js';
import type { Requester } from './requester.js';

/** The location of an agent, which decides what rules apply. */
type Located = Pick<Requester, 'cwd' | 'roots' | 'files' | 'worktree'>;

/** `answered`: rules from the user's answers. `added`: rules of settings that changed meanwhile. */
export type LaterRules = { readonly answered: readonly string[]; readonly added: readonly SourcedRule[] };

export interface SessionRules {
  /** Rules that were added since it was opened. */
  later(): LaterRules;
  /** Adds rules of settings from now on. */
  add(sources: readonly SourcedRule[]): void;
  /** The rules that apply in the current folder of the agent's shell. Deny and ask rules apply everywhere. */
  rulesFor(requester: Located): readonly Rule[];
  /** True if a deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /** The places where a new rule can be stored: not in the settings of another project. */
  storesFor(place: RuleScope): readonly ('session' | 'local')[];
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
  /** Called with a message about each rule that can't match. */
  readonly warn: (line: string) => void;
};

export function createSessionRules(options: SessionRulesOptions): SessionRules {
  const project = { kind: 'project', folder: options.projectRoot } as const;
  const { rules, warnings } = readRules(options.sources, options.projectRoot);
  for (const line of boundWarnings(warnings)) options.warn(line);
  const added: SourcedRule[] = [];
  const home = userHome(options.host.env);
  const moved = new Map<string, { readonly of: number; readonly rules: readonly Rule[] }>();
  const ofWorktree = (worktree: Located['worktree']): readonly Rule[] => {
    if (worktree === undefined) return rules;
    const known = moved.get(worktree.path);
    // Rules are only added, never changed.
    if (known?.of === rules.length) return known.rules;
    const made = { of: rules.length, rules: rulesInWorktree(rules, worktree, home) };
    moved.set(worktree.path, made);
    return made.rules;
  };
  return {
    later: () => ({
      answered: rules.filter(({ origin }) => origin.source === ANSWERED).map(({ text }) => text),
      added,
    }),
    add: (sources) => {
      added.push(...sources);
      const more = readRules(sources, options.projectRoot);
      rules.push(...more.rules);
      for (const line of boundWarnings(more.warnings)) options.warn(line);
    },
    rulesFor: (requester) => rulesIn(ofWorktree(requester.worktree), [requester.cwd], requester),
    isAgentDenied: (type) => rules.some((rule) => deniesAgent(rule, type)),
    storesFor: (place) => (appliesIn(project, place) ? ['session', 'local'] : ['session']),
    allow: async (rule, root, where) => {
      const isKnown = rules.some((one) => one.text === rule && one.origin.bound?.folder === root);
      if (!isKnown) {
        const added = parseRule(rule, 'allow', answerOrigin(root));
        if (added.rule) rules.push(added.rule);
        if (added.warning) options.warn(`${answerOrigin(root).source}: ${added.warning}`);
      }
      if (where !== 'local') return undefined;
      const saved = await addLocalRule(options.host, options.projectRoot, rule);
      return saved.ok ? undefined : saved.reason;
    },
  };
}

/**
 * Parses the rules of settings and flags, with a warning for each that can't match, and for each deny or ask rule that
 * covers its whole tool because it can't be read.
 */
export function readRules(sources: readonly SourcedRule[], projectRoot: string) {
  const rules: Rule[] = [];
  const warnings: string[] = [];
  for (const { origin, rule, warning, error } of readSources(sources, projectRoot)) {
    if (rule) rules.push(rule);
    if (warning) warnings.push(`${origin.file}: ${warning}`);
    const instead = rule ? `Until it is corrected, it covers all of ${rule.tool}` : 'It is ignored';
    if (error) warnings.push(`${origin.file}: ${error}. ${instead}.`);
  }
  return { rules, warnings };
}

const MOST_WARNINGS = 5;

/** A project may have thousands of rules with problems. */
function boundWarnings(lines: readonly string[]): readonly string[] {
  const left = lines.length - MOST_WARNINGS;
  return left > 1
    ? [...lines.slice(0, MOST_WARNINGS), `${left.toLocaleString('en')} more rules have such problems`]
    : lines;
}

type RulesCheck = { readonly projectRoot: string; readonly trusted: boolean };

/**
 * The reason not to start with these rules: a deny or ask rule that can't be applied (GT-33). A project that is not trusted
 * can't prevent the start (GT-32): there, the rule covers its whole tool, with a warning.
 */
export function refuseRules(sources: readonly SourcedRule[], { projectRoot, trusted }: RulesCheck): string | undefined {
  const reasons = readSources(sources, projectRoot).flatMap(({ origin, error }) => {
    const ofProject = isOfProject(origin);
    if (error === undefined || (ofProject && !trusted)) return [];
    const wayOut = ofProject ? ', or start without the settings of the project: --setting-sources user' : '';
    return [`${origin.file}: ${error}. Without it, more would be allowed: correct the rule or remove it${wayOut}.`];
  });
  return reasons.length > 0 ? boundWarnings(reasons).join('\n') : undefined;
}

function readSources(sources: readonly SourcedRule[], projectRoot: string) {
  return sources.flatMap(({ rule: text, behavior, origin }) => {
    const { scope, file: source, folder: base } = origin;
    return (scope === 'command line' ? splitRules(text) : [text]).map((one) => {
      const isBound = isOfProject(origin) && isAboutCommands(one);
      const bound = isBound ? { bound: { kind: 'project', folder: projectRoot } as const } : {};
      return { origin, ...parseRule(one, behavior, { source, base, ...bound }) };
    });
  });
}

const ANSWERED = 'this session';

/** The origin of a rule that an answer in this root adds. */
export function answerOrigin(root: string): RuleOrigin {
  return { source: ANSWERED, base: root, bound: { kind: 'root', folder: root } };
}

/** Rules about files are already bound by their paths. */
function isAboutCommands(rule: string): boolean {
  return /^\s*Bash\b/.test(rule);
}

function deniesAgent({ behavior, tool, matches }: Rule, type: string): boolean {
  if (behavior !== 'deny' || tool !== 'Agent') return false;
  if (matches.kind === 'every') return true;
  return matches.kind === 'agent' && isAboutAgent(matches.type, type, true);
}

/** `--allowedTools "Read,Bash(git log:*)"`: commas outside parentheses separate rules. */
function splitRules(list: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const [char] of list.matchAll(/\\.|[\s\S]/g)) {
    if (char === '(') depth += 1;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (char === ',' && depth === 0) rules.push('');
    else rules[rules.length - 1] += char;
  }
  return rules.map((rule) => rule.trim()).filter(Boolean);
}
