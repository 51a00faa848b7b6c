/** Judges a command line. Deny and ask rules check everything in it; allow needs every part plain and covered. */

import type { Decision, RunProfile } from '../../protocol/permission.js';
import { allow, allowAs, ask, askByRule, askFirmly, deny, denyByRule, nameRule, strictest } from './decision.js';
import type { Resolver } from './paths/resolver.js';
import type { Policy } from './policy.js';
import type { Rule } from './rules/rule.js';
import { rulesIn } from './rules/rule-scope.js';
import { assessLine, findGitFolders, gitFolders, type LineAssessment, objectToRepoIn } from './shell/assess-line.js';
import { assessPaths, findDeniedInFolders, foldersOf } from './shell/assess-paths.js';
import { assessConfined, type ConfinedAssessment } from './shell/confined/assess-confined.js';
import { mayRunOutside } from './shell/confined/outside-lines.js';
import { examineProgram } from './shell/examine-program.js';
import { findCommandRule } from './shell/find-command-rule.js';
import { findLeaving } from './shell/find-leaving.js';
import { findPathRule } from './shell/find-path-rule.js';
import { type Reach, reachCommands } from './shell/reach-commands.js';
import { readCommand } from './shell/read-command.js';
import type { ShellReading } from './shell/shell-reading.js';

export type ShellCall = { readonly command: string; readonly cwd: string; readonly unconfined?: boolean };

export function judgeShell(call: ShellCall, given: Policy, resolver: Resolver): Decision {
  const reading = readCommand(call.command);
  const cwds = foldersOf(reading.commands, call.cwd, given.home) ?? [call.cwd];
  // A rule bound to a root does not apply to a line that changes to another one.
  const policy = cwds.length === 1 ? given : { ...given, rules: rulesIn(given.rules, cwds, given) };
  let reach: Reach | undefined;
  const line: Line = { call, reading, cwds, policy, resolver, reach: () => (reach ??= reachCommands(reading)) };

  const denied = findRestriction(line, 'deny');
  if (denied.sure !== undefined) return denyByRule(denied.sure, denied.what ?? 'this command');
  const asked = findRestriction(line, 'ask');
  const asking = asked.sure === undefined ? [] : [askByRule(asked.sure, asked.what ?? 'this command')];
  const restrictions = [denied, asked];
  if (policy.readOnlyOnly === true || policy.mode === 'plan')
    return strictest([...asking, judgePlanned(line, restrictions)]) ?? deny('mode plan', 'plan mode only reads');
  if (asking[0] !== undefined) return asking[0];
  const unseen = findUnseen(restrictions) ?? findDeniedContents(line);
  if (policy.mode === 'bypassPermissions')
    return unseen === undefined ? allow('mode bypassPermissions') : askUnseen(unseen);

  const guarded = findProtectedWrite(line);
  if (guarded !== undefined) return askFirmly('check protected-name', guarded);
  const leaving = findLeaving(line);
  if (leaving !== undefined) return askFirmly('check worktree', leaving);
  const whole = findWholeRule(line);
  if (whole?.exact === true || (whole !== undefined && unseen === undefined && !hidesFiles(line)))
    return whole.decision;
  const assessed = assess(line, commandRules(policy));
  if (assessed.fine && !assessed.byReading) return unseen === undefined ? allowFine(assessed, line) : askUnseen(unseen);
  const judged = judgeReading(line, assessed, restrictions);
  const decision = judged.decision ?? ask('check command', judged.against);
  if (whole === undefined || decision.behavior === 'allow') return decision;
  return unseen === undefined ? whole.decision : askUnseen(unseen);
}

/** Without a rule, only known programs run, even where a mode lets some of them edit. */
function allowFine({ by, byRule }: Extract<LineAssessment, { fine: true }>, line: Line): Decision {
  return byRule ? allow(by) : allowAs(by, unconfined(line));
}

function unconfined({ reading, cwds, policy, resolver }: Line): RunProfile {
  const refresh = policy.trusted ? findGitFolders({ reading, cwds, policy, resolver, rules: [] }) : [];
  return { kind: 'proven', refresh, changes: [] };
}

/** A rule for every command must not let one read files, in a folder it searches, that another rule denies. */
function hidesFiles({ policy }: Line): boolean {
  return policy.box !== undefined && policy.rules.some((rule) => rule.behavior !== 'allow' && rule.tool === 'Read');
}

type Line = {
  readonly call: ShellCall;
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
  /** The commands it may run, computed on first use. */
  reach(): Reach;
};

type Restriction = {
  readonly sure?: Rule;
  readonly what?: string;
  /** May match: a program or a file in the line is known only at run time. */
  readonly maybe?: readonly Unseen[];
  /** May match something opaque; irrelevant in a line that is proven to only read. */
  readonly unproven?: readonly Unseen[];
};

type Unseen = { readonly rule: Rule; readonly reason: string };

function findRestriction(line: Line, behavior: 'deny' | 'ask'): Restriction {
  const rules = line.policy.rules.filter((rule) => rule.behavior === behavior);
  if (rules.length === 0) return {};
  const { reading, cwds, call, policy, resolver } = line;
  const byCommand = rules.some((rule) => rule.tool === 'Bash') ? findCommandRule(rules, reading, line.reach()) : {};
  if (byCommand.sure !== undefined) return { sure: byCommand.sure };
  const { commands } = line.reach();
  const folders = [...new Set([...cwds, ...(foldersOf(commands, call.cwd, policy.home) ?? [])])];
  const byPath = findPathRule(rules, {
    commands,
    reading,
    cwds: folders,
    home: policy.home,
    resolver,
    inHistory: policy.box === undefined || policy.box.deniedInGit,
  });
  if (byPath.sure !== undefined) return { sure: byPath.sure, ...(byPath.what ? { what: byPath.what } : {}) };
  return { maybe: present([byCommand.maybe, byPath.maybe]), unproven: present([byCommand.unproven, byPath.unproven]) };
}

function present(found: readonly (Unseen | undefined)[]): readonly Unseen[] {
  return found.filter((unseen) => unseen !== undefined);
}

/** For a line that a rule or a mode lets run: a deny rule also covers what can't be seen (GT-29). */
function findUnseen(restrictions: readonly Restriction[]): Unseen | undefined {
  return restrictions.flatMap(({ maybe = [], unproven = [] }) => [...maybe, ...unproven])[0];
}

/** Searching a folder must not reveal what a rule denies, whatever another rule allows. The sandbox hides it. */
function findDeniedContents(line: Line): Unseen | undefined {
  if (line.policy.box !== undefined && assessBox(line).fits) return undefined;
  const rule = findDeniedInFolders(line.reading.commands, line);
  return rule && { rule, reason: 'it looks through a folder with files that the rule covers; Grep leaves those out' };
}

/** Plain words that only read can't hide a denied command, but they can name a denied file. */
function findUnseenFile(restrictions: readonly Restriction[]): Unseen | undefined {
  return restrictions.flatMap(({ maybe = [] }) => maybe).find(({ rule }) => rule.tool !== 'Bash');
}

/** The sandbox hides denied files. But a program that reads may be given a denied command to run. */
function findUnseenProgram(restrictions: readonly Restriction[]): Unseen | undefined {
  return restrictions.flatMap(({ unproven = [] }) => unproven).find(({ rule }) => rule.tool === 'Bash');
}

function askUnseen(unseen: Unseen): Decision {
  const { rule, reason } = unseen;
  return ask(nameRule(rule), `the rule ${rule.text} may apply to it: ${reason}`);
}

type ReadingJudgement =
  | { readonly decision: Decision; readonly against?: undefined }
  | { readonly decision?: undefined /** The reason why it is not known to only read. */; readonly against: string };

/**
 * Decides about reading without a rule or permission (GT-23). If there is a read-only sandbox, a line that fits runs there,
 * proven or not. Outside run only lines whose output the sandbox would change, if their text proves that they only read.
 */
function judgeReading(line: Line, assessed: LineAssessment, restrictions: readonly Restriction[]): ReadingJudgement {
  const { policy, call } = line;
  const proven = assessed.fine && assessed.byReading;
  const against = assessed.fine ? 'it changes files' : assessed.reason;
  if (call.unconfined === true) {
    return proven ? { decision: ask('check command', 'it asks to run where it is not confined') } : { against };
  }
  const confined = policy.box === undefined ? undefined : assessBox(line);
  if (confined?.fits === true) {
    const program = proven ? undefined : findUnseenProgram(restrictions);
    if (program !== undefined) return { decision: askUnseen(program) };
    return { decision: allowAs('it only reads, confined', { kind: 'reading', show: confined.show }) };
  }
  const outside = policy.box === undefined || mayRunOutside(line.reading, policy.box);
  if (!proven) return { against: confined?.reason ?? against };
  if (!outside)
    return { against: 'a part of it answers otherwise where the rest can be confined: run them one by one' };
  const file = findUnseenFile(restrictions);
  if (file !== undefined) return { decision: askUnseen(file) };
  return { decision: allowAs(assessed.by, unconfined(line)) };
}

/** For read-only agents and plan mode: allow rules don't apply, only proof or the sandbox. */
function judgePlanned(line: Line, restrictions: readonly Restriction[]): Decision {
  const assessed = assess(line, []);
  const stance = line.policy.readOnlyOnly === true ? 'this agent only reads' : 'plan mode only reads';
  const judged = judgeReading(line, assessed, restrictions);
  const { decision } = judged;
  // A yes would run it unconfined, so the user is asked only about what is proven.
  const isProven = assessed.fine && assessed.byReading;
  if (decision !== undefined && (decision.behavior !== 'ask' || isProven)) return decision;
  if (!assessed.fine && !assessed.changes) return ask('check command', assessed.reason);
  const against = decision?.behavior === 'ask' ? decision.reason : (judged.against ?? 'it may change something');
  return deny(
    line.policy.readOnlyOnly === true ? 'check read-only agent' : 'mode plan',
    `${stance}, and this command is not proven to only read: ${against}. Use Read, Grep, Glob or a plain reading command.`,
  );
}

function assess(line: Line, rules: readonly Rule[]): LineAssessment {
  const outside = findShellOutside(line);
  const { reading, cwds, policy, resolver, call } = line;
  if (outside !== undefined) {
    const there = assessLine({ reading, cwds, policy, resolver, rules: [] });
    return { fine: false, reason: outside, changes: there.fine ? !there.byReading : there.changes };
  }
  if (foldersOf(reading.commands, call.cwd, policy.home) === undefined)
    return { fine: false, reason: 'it is unclear where its cd leads', changes: true };
  return assessLine({ reading, cwds, policy, resolver, rules });
}

function assessBox(line: Line): ConfinedAssessment {
  const outside = findShellOutside(line);
  if (outside !== undefined) return { fits: false, reason: outside };
  const { reading, cwds, policy, resolver } = line;
  return assessConfined({ reading, cwds, policy, resolver, rules: [] });
}

function findShellOutside({ policy, resolver, call }: Line): string | undefined {
  if (policy.roots.includes(call.cwd) || resolver.isReadable(resolver.resolve('.', call.cwd))) return undefined;
  return `the shell is outside the folders this session works in (${call.cwd})`;
}

/** Visible writes to protected names always need a prompt, even if a rule allows everything. */
function findProtectedWrite(line: Line): string | undefined {
  for (const command of line.reading.commands) {
    const words = command.words.map((word) => word.value ?? '');
    const writes = command.redirects.some((redirect) => redirect.kind === 'write' || redirect.kind === 'append');
    const finding = words.length === 0 ? { reads: true, problems: [], paths: [] } : examineProgram(words, false);
    if (!writes && !finding.paths.some(({ use }) => use === 'write' || use === 'unknown')) continue;
    const objections = assessPaths(command, finding, line);
    const always = objections.find((objection) => objection.always === true);
    if (always !== undefined) return always.reason;
  }
  return undefined;
}

type WholeRule = { readonly decision: Decision /** The rule names exactly this text. */; readonly exact: boolean };

/** Rules about the whole line: every command (`Bash`), or exactly this text. */
function findWholeRule(line: Line): WholeRule | undefined {
  const { policy, reading } = line;
  const text = reading.text.trim();
  const rules = policy.rules.filter((rule) => rule.behavior === 'allow' && rule.tool === 'Bash');
  const exact = rules.find(
    ({ matches }) => matches.kind === 'command' && matches.pattern.form === 'exact' && matches.pattern.text === text,
  );
  const rule = exact ?? rules.find(({ matches }) => matches.kind === 'every');
  if (rule === undefined) return undefined;
  const repo = findUntrustedRepo(line);
  const decision = repo === undefined ? allow(nameRule(rule)) : ask('check repository', repo);
  return { decision, exact: exact !== undefined };
}

/** Git in an untrusted repository with its own programs: no rule covers those. */
function findUntrustedRepo(line: Line): string | undefined {
  const { reading, resolver } = line;
  const calls = reading.commands
    .map(({ words }) => words.map((word) => word.value ?? ''))
    .filter((words) => words.some((word) => /(?:^|\/)git$/.test(word)));
  if (calls.length === 0) return undefined;
  const sent = calls.flatMap((words) => words.filter((_, at) => words[at - 1] === '-C'));
  for (const folder of [...line.cwds, ...(sent.length === 0 ? [] : gitFolders(sent, line))]) {
    const reason = objectToRepoIn(folder, resolver);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function commandRules(policy: Policy): readonly Rule[] {
  return policy.rules.filter((rule) => rule.behavior === 'allow' && rule.tool === 'Bash');
}
