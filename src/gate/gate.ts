/**
 * The gate: may this call run? One object for all agents of a session: its rules, its open questions, and what the
 * person agreed to. Judging calls takes much code, which is loaded with the first call, not before the first request.
 */

import { personHome } from '../config/paths.js';
import { addLocalRule } from '../config/settings/add-local-rule.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { Host } from '../host/host.js';
import { normalizeType } from '../protocol/agent-type.js';
import type { Decision, PermissionAnswer, PermissionMode, PermissionQuestion } from '../protocol/permission.js';
import { reasonOf } from '../protocol/reason-of.js';
import { askAboutCall } from './ask/ask-about-call.js';
import { type ChildModeQuestion, childMode, EditAgreement, needsAgreement } from './ask/child-mode.js';
import { Questions } from './ask/questions.js';
import type { Asker } from './asker.js';
import type { GateAnswer, GatedCall, Judgement, SessionRules } from './gated-call.js';
import type { Policy } from './permissions/policy.js';
import { matchPath } from './permissions/rules/path-pattern.js';
import { parseRule, type Rule } from './permissions/rules/rule.js';

export type { GateAnswer, GatedCall, Judgement } from './gated-call.js';

export interface Gate {
  /** Rules and mode; touches nothing. */
  decide(asker: Asker, call: GatedCall): Promise<Judgement>;
  /** Whether a file may be read, for searches; undefined when no rule denies any. */
  mayRead(asker: Asker): ((path: string) => boolean) | undefined;
  /**
   * Hooks that answer for the person, then everybody who can answer. Settles as a denial when the signal aborts.
   * Never rejects.
   */
  ask(asker: Asker, call: GatedCall, reason: string, signal: AbortSignal): Promise<GateAnswer>;
  /**
   * The mode a named child of the asker runs under. Asks the person once, if it must, whether agents may edit.
   * Never rejects.
   */
  childMode(question: ChildModeQuestion, asker: Asker, signal: AbortSignal): Promise<PermissionMode>;
  /** A deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /** Open questions, oldest first. */
  questions(): readonly PermissionQuestion[];
  /** The first answer counts. False when nobody waits for it: late, twice, unknown. */
  answer(questionId: string, answer: PermissionAnswer): boolean;
  /**
   * Says that somebody is there who can answer; returns how to leave. When the last one leaves, open questions are
   * denied. With nobody there a question is denied at once.
   */
  addAnswerer(): () => void;
}

export type GateOptions = {
  /** Its folder is the session's. */
  readonly host: Host;
  readonly projectRoot: string;
  readonly rules: readonly SourcedRule[];
  /** The person trusts this folder. */
  readonly trusted: boolean;
  /** Folders that may be read as if they were roots, never written. */
  readonly readRoots: readonly string[];
  /** `subagents.allowEdits` of the settings; undefined: the person is asked. */
  readonly editsAgreed: boolean | undefined;
  /** Gets a line about each rule that can't match. */
  readonly warn: (line: string) => void;
};

export function createGate(options: GateOptions): Gate {
  const { host } = options;
  const home = personHome(host.env);
  const newId = () => host.newId();
  const rules = createSessionRules({ ...options, sources: options.rules });
  const questions = new Questions();
  let agreement: EditAgreement | undefined;

  const agreed = (asker: Asker, signal: AbortSignal) => {
    agreement ??= new EditAgreement({ questions, agreed: options.editsAgreed, folder: host.folder, newId });
    return agreement.isAgreed(asker, signal);
  };
  const policyOf = (asker: Asker): Policy => ({
    mode: asker.mode,
    rules: [...rules.all(), ...limitRules(asker, 'never', 'deny')],
    roots: asker.roots,
    readRoots: options.readRoots,
    home,
    trusted: options.trusted,
    files: asker.files,
    readOnlyOnly: asker.readOnly,
  });

  return {
    decide: async (asker, call) => {
      const { explain } = await import('./permissions/judge.js');
      const gated = { ...call, cwd: asker.cwd };
      const policy = policyOf(asker);
      const verdict = explain(gated, policy);
      const only = limitRules(asker, 'only', 'allow').filter((rule) => rule.tool === call.tool);
      if (verdict.decision.behavior === 'deny' || only.length === 0) return verdict;
      // What these rules alone would let through is what the definition gave it.
      const inside = explain(gated, { ...policy, mode: 'dontAsk', rules: only });
      if (inside.decision.behavior === 'allow') return verdict;
      return { ...verdict, decision: outside(asker, call.tool, only) };
    },
    mayRead: ({ roots }) => {
      const denied = rules.all().filter((rule) => rule.behavior === 'deny' && rule.tool === 'Read');
      if (denied.length === 0) return undefined;
      const folders = { home, working: roots };
      return (path) =>
        !denied.some(({ matches }) => matches.kind === 'path' && matchPath(matches.pattern, path, folders));
    },
    ask: (asker, call, reason, signal) =>
      askAboutCall({ questions, rules, newId }, asker, call, reason, signal).catch(notAsked),
    childMode: async (question, asker, signal) => {
      const editsAgreed = needsAgreement(question) && (await agreed(asker, signal));
      return childMode({ ...question, editsAgreed });
    },
    isAgentDenied: rules.isAgentDenied,
    questions: () => questions.all(),
    answer: (questionId, answer) => questions.answer(questionId, answer),
    addAnswerer: () => questions.addAnswerer(),
  };
}

/** Its definition's own rules about single tools. One that can't be read lets nothing through. */
function limitRules({ type, limits, folder }: Asker, which: 'only' | 'never', behavior: Rule['behavior']): Rule[] {
  const origin = { source: `the definition of ${type}`, base: folder };
  return (limits?.[which] ?? []).flatMap((text) => {
    const { rule } = parseRule(text, behavior, origin);
    return rule === undefined ? [] : [rule];
  });
}

function outside({ type }: Asker, tool: string, only: readonly Rule[]): Decision {
  const rules = only.map((rule) => rule.text).join(', ');
  const reason = `the definition of ${type} gives it ${tool} only for: ${rules}. Do without, or say what you would need.`;
  return { behavior: 'deny', by: 'definition', reason };
}

/** A defect on the way to the person must not open the gate, nor end the run. */
function notAsked(error: unknown): GateAnswer {
  return { behavior: 'deny', by: 'gate', reason: `the question could not be asked: ${reasonOf(error)}` };
}

type SessionRulesOptions = {
  /** Its folder is where rules of the person's answers start from. */
  readonly host: Host;
  readonly projectRoot: string;
  readonly sources: readonly SourcedRule[];
  /** Gets a line about each rule that can't match. */
  readonly warn: (line: string) => void;
};

function createSessionRules(options: SessionRulesOptions): SessionRules {
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
