/**
 * The gate decides whether a call may run. One object per session has its rules, its open questions and the user's
 * agreements. The code that judges calls is large, so it is loaded with the first call, not before the first request.
 */

import { guardedFolders, userHome, userSettingsFile } from '../config/paths.js';
import { allowAgentEdits } from '../config/settings/change-settings-file.js';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { Host } from '../host/host.js';
import { cleanPath, findRoots, isBelow } from '../host/programs/clean-path.js';
import { findExecutable } from '../host/programs/find-executable.js';
import type { ElicitationAnswer, ElicitationRequest } from '../protocol/mcp/elicitation.js';
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from '../protocol/permission.js';
import type { QuestionsRequest, UserReply } from '../protocol/questions/user-questions.js';
import { reasonOf } from '../protocol/reason-of.js';
import { grantedRules, limitRules, outside, outsideMemory, refuseFileCommands } from './agent-limits.js';
import { askAboutCall } from './ask/ask-about-call.js';
import { type ChildModeQuery, childMode, EditAgreement, needsAgreement } from './ask/child-mode.js';
import { type Confirmation, type ConfirmRequest, confirm } from './ask/confirm.js';
import { type Answers, Questions } from './ask/questions.js';
import type { AcceptedPlan, AskReason, GateAnswer, GatedCall, Judgement } from './gated-call.js';
import { worktreePolicy } from './permissions/paths/own-worktree.js';
import { followLinks } from './permissions/paths/resolve-path.js';
import type { BoxFacts, Policy } from './permissions/policy.js';
import { permittedReads } from './permitted-reads.js';
import type { JudgedAgent, Requester } from './requester.js';
import type { Sandbox, ViewRequest } from './sandbox/sandbox.js';
import { createSessionRules, type LaterRules } from './session-rules.js';
import { confinedAs, patternsOf } from './view-request.js';

export type { GateAnswer, GatedCall, Judgement } from './gated-call.js';

export interface Gate {
  /** Decides by rules and mode, without side effects. */
  decide(agent: JudgedAgent, call: GatedCall): Promise<Judgement>;
  /** Returns a check for searches: may this file be read? Undefined if no rule denies any file. */
  mayRead(agent: JudgedAgent): ((path: string) => boolean) | undefined;
  /**
   * Asks the hooks that answer for the user, then every client that can answer. No hook can allow a firm question.
   * Denies if the signal aborts. Never rejects.
   */
  ask(requester: Requester, call: GatedCall, reason: AskReason, signal: AbortSignal): Promise<GateAnswer>;
  /**
   * Returns the mode of a named child of the requester. If needed, asks the user once whether agents may edit.
   * Never rejects.
   */
  childMode(question: ChildModeQuery, requester: Requester, signal: AbortSignal): Promise<PermissionMode>;
  /** Asks the user something that is not about a call. `nobody`: there was no answer. Never rejects. */
  confirm(request: ConfirmRequest, requester: Requester, signal: AbortSignal): Promise<Confirmation>;
  /**
   * Asks the user a server's question (MC-23). Declines if nobody can be asked, cancels if the signal aborts.
   * Never rejects.
   */
  elicit(request: ElicitationRequest, requester: Requester, signal: AbortSignal): Promise<ElicitationAnswer>;
  /**
   * Asks the user questions of the model (EX-16). No rule and no mode answers them. The only time limit is the user's own
   * setting. Never rejects.
   */
  askQuestions(request: QuestionsRequest, requester: Requester, signal: AbortSignal): Promise<UserReply>;
  /** Rules that were added since the session was opened. */
  laterRules(): LaterRules;
  /** Adds rules of settings from now on. */
  addRules(rules: readonly SourcedRule[]): void;
  /** True if a deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /** Open questions, oldest first. */
  questions(): readonly PermissionQuestion[];
  /** The first answer wins. Returns false if nobody waits for it (late, repeated, unknown). */
  answer(questionId: string, answer: PermissionAnswer): boolean;
  /**
   * Registers a client that can answer; returns a function that removes it. A question that no remaining client can answer
   * is denied, and one that no client can answer from the start is denied at once.
   */
  addAnswerer(answers?: Answers): () => void;
}

export type Plans = {
  /** The file of the session's plan: a real path. */
  readonly file: string;
  /** Called when the user has accepted a plan, before its call runs. */
  accept(plan: AcceptedPlan): void;
};

export type GateOptions = {
  /** Its folder is the session's folder. */
  readonly host: Host;
  readonly projectRoot: string;
  readonly rules: readonly SourcedRule[];
  /** True if the user trusts this folder. */
  readonly trusted: boolean;
  /** Folders that may be read like roots, but never written. */
  readonly readRoots: readonly string[];
  /** The sandbox, prepared when the first command would run in it. Absent: nothing is confined. */
  readonly box?: Pick<Sandbox, 'prepare'>;
  /** The setting `subagents.allowEdits`; undefined means ask the user. */
  readonly editsAgreed: boolean | undefined;
  /** Switches the session and the requesting agent to acceptEdits, at the user's request. In effect when it resolves. */
  readonly acceptEdits: (agentId: string) => Promise<void>;
  /** Absent: there is no plan mode, and no plan is accepted. */
  readonly plans?: Plans;
  /** The setting `askUserQuestionTimeout`, in seconds. */
  readonly questionSeconds?: number | undefined;
  /** How many bytes of files that commands change may still be stored in this session. */
  readonly keepLeft?: () => number;
  /** Called with a message about each rule that can't match. */
  readonly warn: (line: string) => void;
};

export function createGate(options: GateOptions): Gate {
  const { host } = options;
  const home = userHome(host.env);
  const guarded = guardedFolders(host.env);
  const newId = () => host.newId();
  const rules = createSessionRules({ ...options, sources: options.rules });
  const questions = new Questions();
  let agreement: EditAgreement | undefined;

  const agreed = (requester: Requester, signal: AbortSignal) => {
    const always = { file: userSettingsFile(host.env), keep: () => allowAgentEdits(host) };
    agreement ??= new EditAgreement({ questions, agreed: options.editsAgreed, folder: host.folder, always, newId });
    return agreement.isAgreed(requester, signal);
  };
  const fixed = new Map<string, string>();
  /** A link in place of the agent's notes would lead to files that are not its own (ME-3). */
  const notesOf = ({ memory, files }: JudgedAgent) => {
    if (memory === undefined || followLinks(memory.folder, files) !== memory.folder) return [];
    fixed.set(memory.folder, memory.folder);
    return [memory.folder];
  };
  const planOf = ({ isMain = false }: JudgedAgent): Pick<Policy, 'plan'> =>
    options.plans === undefined ? {} : { plan: { file: options.plans.file, isMain } };
  const readRootsOf = (requester: JudgedAgent) => [
    ...options.readRoots,
    ...(requester.worktree?.links ?? []),
    ...notesOf(requester),
  ];
  const viewRequest = (requester: JudgedAgent, wide: boolean): ViewRequest => ({
    roots: requester.roots,
    readRoots: readRootsOf(requester),
    denied: patternsOf(policyOf(requester).rules, 'Read'),
    fixed: patternsOf(policyOf(requester).rules, 'Edit'),
    wide,
  });
  const executable = (name: string, { roots }: JudgedAgent) =>
    findExecutable(name, cleanPath(host, roots), host.files.sync);
  const noFileCommands = (requester: JudgedAgent): Pick<Policy, 'noFileCommands'> => {
    const reason = refuseFileCommands(requester);
    return reason === undefined ? {} : { noFileCommands: reason };
  };
  const policyOf = (requester: JudgedAgent): Policy => ({
    mode: requester.mode,
    rules: [...rules.rulesFor(requester), ...limitRules(requester, 'never', 'deny'), ...grantedRules(requester)],
    roots: requester.roots,
    readRoots: readRootsOf(requester),
    home,
    guarded,
    trusted: options.trusted,
    files: requester.files,
    readOnlyOnly: requester.readOnly,
    fixed,
    isOfSystem: (name) => executable(name, requester)?.ofSystem === true,
    isOfRoots: (name) => {
      const real = executable(name, requester)?.real;
      const own = findRoots({ files: host.files, folder: host.folder }, requester.roots);
      return real !== undefined && own.some((root) => isBelow(real, root));
    },
    ...noFileCommands(requester),
    ...(options.keepLeft ? { keepLeft: options.keepLeft() } : {}),
    ...planOf(requester),
    ...(requester.memory ? { memory: requester.memory.folder } : {}),
    ...(requester.worktree
      ? { worktree: worktreePolicy(requester.worktree, requester.bubbles === true, requester.files) }
      : {}),
  });

  const judge = async (requester: JudgedAgent, call: GatedCall, box: BoxFacts | undefined): Promise<Judgement> => {
    const { explain } = await import('./permissions/judge.js');
    const gated = { ...call, cwd: requester.cwd };
    const policy = { ...policyOf(requester), ...(box ? { box } : {}) };
    const verdict = explain(gated, policy);
    if (verdict.decision.behavior === 'deny' || verdict.inMemory) return verdict;
    if (requester.memory?.tools.includes(call.tool))
      return { ...verdict, decision: outsideMemory(requester.memory, call.tool) };
    const only = limitRules(requester, 'only', 'allow').filter((rule) => rule.tool === call.tool);
    if (only.length === 0) return verdict;
    // The definition grants what these rules alone would allow.
    const inside = explain(gated, { ...policy, mode: 'dontAsk', rules: only });
    if (inside.decision.behavior === 'allow') return verdict;
    return { ...verdict, decision: outside(requester, call.tool, only) };
  };

  /** What "always" would allow depends on whether there is a sandbox. */
  const askedPolicy = (requester: JudgedAgent): Policy => ({
    ...policyOf(requester),
    ...(options.box === undefined ? {} : { box: ORDINARY }),
  });

  /** True if it is allowed only as long as git's history contains nothing that a rule denies. */
  const dependsOnHistory = async (requester: JudgedAgent, call: GatedCall, { decision }: Judgement) => {
    if (decision.behavior !== 'allow' || patternsOf(policyOf(requester).rules, 'Read').length === 0) return false;
    if (!call.actions.some((action) => action.kind === 'shell')) return false;
    return (await judge(requester, call, { ...ORDINARY, deniedInGit: true })).decision.behavior !== 'allow';
  };

  return {
    decide: async (requester, call) => {
      if (options.box === undefined) return judge(requester, call, undefined);
      const assumed = await judge(requester, call, ORDINARY);
      const profile = confinedAs(assumed);
      if (profile === undefined && !(await dependsOnHistory(requester, call, assumed))) return assumed;
      // Only now does it matter whether this machine has a sandbox, and what must be hidden in it.
      const prepared = await options.box.prepare(viewRequest(requester, profile === 'ruled'));
      if (!prepared.ok) return judge(requester, call, undefined);
      const { deniedInGit, gitIsWhole, unchanged } = prepared.view;
      const judged = deniedInGit || !gitIsWhole ? await judge(requester, call, { deniedInGit, gitIsWhole }) : assumed;
      const now = confinedAs(judged);
      if (now === 'working' && unchanged === undefined) return judge(requester, call, undefined);
      if (now === undefined) return judged;
      // What was looked at for another profile does not fit: a wider command sees more, a narrower one needs more.
      if ((now === 'ruled') === (profile === 'ruled')) return { ...judged, box: prepared.view };
      const again = await options.box.prepare(viewRequest(requester, now === 'ruled'));
      return again.ok ? { ...judged, box: again.view } : judge(requester, call, undefined);
    },
    mayRead: (requester) => {
      const denied = rules.rulesFor(requester).filter((rule) => rule.behavior === 'deny');
      return permittedReads(denied, { home, working: requester.roots }, host.files.sync);
    },
    ask: (requester, call, reason, signal) =>
      askAboutCall(
        { questions, rules, newId, policyOf: askedPolicy, acceptEdits: options.acceptEdits, plans: options.plans },
        requester,
        call,
        reason,
        signal,
      ).catch(notAsked),
    childMode: async (question, requester, signal) => {
      const editsAgreed = needsAgreement(question) && (await agreed(requester, signal));
      return childMode({ ...question, editsAgreed });
    },
    confirm: (request, requester, signal) => confirm(questions, { ...request, id: newId() }, requester, signal),
    elicit: async (request, requester, signal) => {
      try {
        const [{ elicit }, { openBrowser }] = await Promise.all([
          import('./ask/elicit.js'),
          import('../host/callback/open-browser.js'),
        ]);
        const openPage = (url: string) => openBrowser(host, new URL(url), signal);
        const options = { questions, newId, openPage };
        return await elicit(options, request, requester, signal);
      } catch {
        // A defect while asking sends nothing to the server.
        return { action: 'decline' };
      }
    },
    askQuestions: async (request, requester, signal) => {
      const { questionSeconds: seconds } = options;
      try {
        const { askQuestions } = await import('./ask/ask-questions.js');
        return await askQuestions({ questions, newId, clock: host.clock, seconds }, request, requester, signal);
      } catch (error) {
        return { kind: 'refused', reason: `the question could not be asked: ${reasonOf(error)}` };
      }
    },
    laterRules: rules.later,
    addRules: rules.add,
    isAgentDenied: rules.isAgentDenied,
    questions: () => questions.all(),
    answer: (questionId, answer) => questions.answer(questionId, answer),
    addAnswerer: (answers) => questions.addAnswerer(answers),
  };
}

/** Assumptions about the sandbox before it is prepared. */
const ORDINARY: BoxFacts = { deniedInGit: false, gitIsWhole: true };

/** A defect while asking must neither open the gate nor end the run. */
function notAsked(error: unknown): GateAnswer {
  return { behavior: 'deny', by: 'gate', reason: `the question could not be asked: ${reasonOf(error)}` };
}
