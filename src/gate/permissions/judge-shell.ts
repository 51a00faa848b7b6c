/**
 * Judges a command line. Deny and ask rules check everything in it. What only reads runs in the sandbox, where it can do
 * nothing else; otherwise every part must be proven, an edit that the mode allows, or covered by a rule (GT-23, GT-35).
 */

import type { Decision, RunProfile } from '../../protocol/permission.js';
import { allow, allowAs, ask, askByRule, askFirmly, deny, denyByRule, nameRule, strictest } from './decision.js';
import { describeUncovered } from './describe-uncovered.js';
import type { Resolver } from './paths/resolver.js';
import type { Policy } from './policy.js';
import type { Rule } from './rules/rule.js';
import { rulesIn } from './rules/rule-scope.js';
import { findDeniedInFolders, foldersOf, isStraight } from './shell/assess-paths.js';
import { assessConfined, type ConfinedAssessment } from './shell/confined/assess-confined.js';
import { assessParts } from './shell/parts/assess-parts.js';
import type { LineAssessment, Uncovered } from './shell/parts/line-assessment.js';
import { findGitFolders } from './shell/parts/repository-objections.js';
import { readCommand } from './shell/reading/read-command.js';
import type { ShellReading } from './shell/reading/shell-reading.js';
import { findCommandRule } from './shell/restrictions/find-command-rule.js';
import { findLeaving } from './shell/restrictions/find-leaving.js';
import { findPathRule } from './shell/restrictions/find-path-rule.js';
import { findProtectedWrites } from './shell/restrictions/find-protected-write.js';
import { type Reach, reachCommands } from './shell/restrictions/reach-commands.js';

export type ShellCall = { readonly command: string; readonly cwd: string; readonly unconfined?: boolean };

export function judgeShell(call: ShellCall, given: Policy, resolver: Resolver): Decision {
  const reading = readCommand(call.command);
  const cwds = foldersOf(reading.commands, call.cwd, given.home, isStraight(call.command)) ?? [call.cwd];
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
  if (policy.mode === 'bypassPermissions') {
    const unseen = findUnseen(restrictions) ?? findDeniedContents(line);
    return unseen === undefined ? allow('mode bypassPermissions') : askUnseen(unseen);
  }
  const read = judgeReading(line, restrictions);
  if (call.unconfined !== true) return read ?? judgeRest(line, restrictions);
  const decision = judgeRest(line, restrictions);
  // A rule lets a reading command run outside the reading sandbox; without any limits only a person does.
  const isRuled = decision.behavior === 'allow' && decision.run?.kind === 'ruled';
  return isRuled && read?.behavior === 'allow' ? decision : askUnconfined(decision);
}

function askUnconfined(decision: Decision): Decision {
  return decision.behavior === 'allow' ? ask('check command', 'it asks to run where it is not confined') : decision;
}

function judgeRest(line: Line, restrictions: readonly Restriction[]): Decision {
  const { policy } = line;
  const guarded = findProtectedWrites(line).map((one) => ({ ...one, changes: true, firm: true }) as const);
  const leaving = findLeaving(line);
  if (guarded.length === 0 && leaving !== undefined) return askFirmly('check worktree', leaving);
  const exact = findExactRule(line);
  if (exact !== undefined && guarded.length === 0) return judgeExact(exact, line);
  const assessed = assess(line, policy.rules.filter(isAllowingCommands));
  if (guarded.length > 0) return describeUncovered([...guarded, ...assessed.uncovered], line);
  // Where there is a sandbox, proof alone lets nothing run outside it.
  const isBare = policy.box !== undefined && assessed.rules.length === 0 && !assessed.edits;
  if (assessed.uncovered.length > 0 || isBare) return describeUncovered(findObjections(assessed, line), line);
  const unseen = findUnseenHere(line, restrictions, assessed);
  return unseen === undefined ? allowAssessed(assessed, line) : askUnseen(unseen);
}

/** Without a rule or an edit in the line, what matters is why it does not fit where it could only read. */
function findObjections({ uncovered, rules, edits }: LineAssessment, line: Line): readonly Uncovered[] {
  if (rules.length > 0 || edits || line.policy.box === undefined) return uncovered;
  const confined = assessBox(line);
  if (confined.fits) return uncovered;
  return confined.problems.map(({ part, reason }) => {
    const known = uncovered.find((one) => one.part === part);
    if (known?.nearest !== undefined || known?.firm === true) return known;
    const needsTrust = reason.includes('not trusted') ? ({ needsTrust: true } as const) : {};
    return { changes: true, ...known, part, reason, ...needsTrust };
  });
}

function isAllowingCommands({ behavior, tool }: Rule): boolean {
  return behavior === 'allow' && tool === 'Bash';
}

/** A person wrote down this very text: only trust can still be missing. */
function judgeExact(exact: Rule, line: Line): Decision {
  const assessed = assess(line, [{ ...exact, matches: { kind: 'every' } }]);
  const untrusted = assessed.uncovered.filter(({ needsTrust }) => needsTrust === true);
  if (untrusted.length > 0) return describeUncovered(untrusted, line);
  const { programs, changes } = assessed;
  return allowAs(nameRule(exact), { kind: 'ruled', programs, changes });
}

/** A line runs with one profile, the widest that any part of it needs. */
function allowAssessed(assessed: LineAssessment, line: Line): Decision {
  const { rules, edits, changes, git, programs, by } = assessed;
  const containers = assessed.containers ? ({ containers: true } as const) : {};
  const withGit = git ? ({ git: true } as const) : {};
  const names = [...rules.map(nameRule), ...by].join(', ');
  if (rules.length > 0) return allowAs(names, { kind: 'ruled', programs, changes, ...withGit, ...containers });
  if (edits && line.policy.box !== undefined) return allowAs(names, { kind: 'working', show: [], changes, ...withGit });
  return allowAs(names, { ...proven(line), changes, ...withGit });
}

function proven({ reading, cwds, policy, resolver }: Line): Extract<RunProfile, { kind: 'proven' }> {
  const refresh = policy.trusted ? findGitFolders({ reading, cwds, policy, resolver }) : [];
  return { kind: 'proven', refresh, changes: [] };
}

export type Line = {
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

type Unseen = {
  readonly rule: Rule;
  readonly reason: string;
  /** Code that a program is given: who allows the program by name allows it (GT-35). */
  readonly ofCode?: true;
  /** From git's store, where nothing hides it. */
  readonly inGit?: true;
};

function findRestriction(line: Line, behavior: 'deny' | 'ask'): Restriction {
  const rules = line.policy.rules.filter((rule) => rule.behavior === behavior);
  if (rules.length === 0) return {};
  const { reading, cwds, call, policy, resolver } = line;
  const byCommand = rules.some((rule) => rule.tool === 'Bash') ? findCommandRule(rules, reading, line.reach()) : {};
  if (byCommand.sure !== undefined) return { sure: byCommand.sure };
  const { commands } = line.reach();
  const folders = [
    ...new Set([...cwds, ...(foldersOf(commands, call.cwd, policy.home, isStraight(call.command)) ?? [])]),
  ];
  const byPath = findPathRule(rules, {
    commands,
    reading,
    cwds: folders,
    home: policy.home,
    resolver,
    inHistory: policy.box === undefined || policy.box.deniedInGit,
  });
  if (byPath.sure !== undefined) return { sure: byPath.sure, ...(byPath.what ? { what: byPath.what } : {}) };
  return {
    maybe: present([byCommand.maybe, byPath.inGit, byPath.maybe]),
    unproven: present([byCommand.unproven, byPath.unproven]),
  };
}

function present(found: readonly (Unseen | undefined)[]): readonly Unseen[] {
  return found.filter((unseen) => unseen !== undefined);
}

/** For a line that a rule or a mode lets run: a deny rule also covers what can't be seen (GT-29). */
function findUnseen(restrictions: readonly Restriction[]): Unseen | undefined {
  return restrictions.flatMap(({ maybe = [], unproven = [] }) => [...maybe, ...unproven])[0];
}

/** In the sandbox denied files are hidden; what git has stored of them is not. */
function findUnseenHere(
  line: Line,
  restrictions: readonly Restriction[],
  { rules, isRunner }: LineAssessment,
): Unseen | undefined {
  const hides = line.policy.box !== undefined;
  const found = restrictions
    .flatMap(({ maybe = [], unproven = [] }) => [...maybe, ...unproven])
    .find(({ rule, ofCode, inGit }) => {
      if (rule.tool !== 'Bash') return inGit === true || !hides;
      // A rule about every command names none of the programs that run code.
      return !(isRunner && ofCode === true && rules.every(({ matches }) => matches.kind !== 'every'));
    });
  return found ?? (hides ? undefined : findDeniedContents(line));
}

/** Searching a folder must not reveal what a rule denies, whatever another rule allows. */
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

function askUnseen({ rule, reason }: Unseen): Decision {
  return ask(nameRule(rule), `the rule ${rule.text} may apply to it: ${reason}`);
}

/**
 * Decides about reading without a rule or permission (GT-23): in the sandbox if there is one, rule or not; without one, by
 * proof alone. Undefined if it does more, or may do more, than read.
 */
function judgeReading(line: Line, restrictions: readonly Restriction[]): Decision | undefined {
  if (line.policy.box !== undefined) {
    const confined = assessBox(line);
    if (!confined.fits) return undefined;
    const program = isProven(assess(line, [])) ? undefined : findUnseenProgram(restrictions);
    if (program !== undefined) return askUnseen(program);
    const wholeGit = confined.wholeGit ? ({ wholeGit: true } as const) : {};
    const blindTo = confined.blindTo.length > 0 ? { blindTo: confined.blindTo } : {};
    return allowAs('it only reads, confined', { kind: 'reading', show: confined.show, ...blindTo, ...wholeGit });
  }
  const assessed = assess(line, []);
  if (!isProven(assessed)) return undefined;
  const file = findUnseenFile(restrictions);
  return file === undefined ? allowAs(assessed.by.join(', '), proven(line)) : askUnseen(file);
}

function isProven({ uncovered, edits }: LineAssessment): boolean {
  return uncovered.length === 0 && !edits;
}

/** For read-only agents and plan mode: allow rules don't apply, only proof or the sandbox. */
function judgePlanned(line: Line, restrictions: readonly Restriction[]): Decision {
  const { policy } = line;
  const decision = judgeReading(line, restrictions);
  const isUnconfined = line.call.unconfined === true;
  if (decision?.behavior === 'allow' && !isUnconfined) return decision;
  const assessed = assess({ ...line, policy: { ...policy, mode: 'default' } }, []);
  // A yes would run it unconfined, so the user is asked only about what is proven.
  if (isProven(assessed) && decision !== undefined) return isUnconfined ? askUnconfined(decision) : decision;
  const [first] = assessed.uncovered;
  if (first !== undefined && assessed.uncovered.every(({ changes }) => !changes))
    return ask('check command', first.reason);
  const stance = policy.readOnlyOnly === true ? 'this agent only reads' : 'plan mode only reads';
  const against = decision?.behavior === 'ask' ? decision.reason : (first?.reason ?? 'it may change something');
  return deny(
    policy.readOnlyOnly === true ? 'check read-only agent' : 'mode plan',
    `${stance}, and this command is not proven to only read: ${against}. Use Read, Grep, Glob or a plain reading command.`,
  );
}

function assess(line: Line, rules: readonly Rule[]): LineAssessment {
  const { reading, cwds, policy, resolver, call } = line;
  const assessed = assessParts({ reading, cwds, policy, resolver, rules });
  const outside = findShellOutside(line);
  const unclear = foldersOf(reading.commands, call.cwd, policy.home) === undefined;
  const reason = outside ?? (unclear ? 'it is unclear where its cd leads' : undefined);
  if (reason === undefined) return assessed;
  const changes = outside === undefined || assessed.edits || assessed.uncovered.some((one) => one.changes);
  return { ...assessed, uncovered: [{ part: reading.text, reason, changes }] };
}

function assessBox(line: Line): ConfinedAssessment {
  const outside = findShellOutside(line);
  const { reading, cwds, policy, resolver } = line;
  if (outside !== undefined) return { fits: false, problems: [{ part: reading.text, reason: outside }] };
  return assessConfined({ reading, cwds, policy, resolver, rules: [] });
}

function findShellOutside({ policy, resolver, call }: Line): string | undefined {
  if (policy.roots.includes(call.cwd) || resolver.isReadable(resolver.resolve('.', call.cwd))) return undefined;
  return `the shell is outside the folders this session works in (${call.cwd})`;
}

/** A rule for exactly this text. */
function findExactRule({ policy, reading }: Line): Rule | undefined {
  const text = reading.text.trim();
  return policy.rules.find(
    (rule) =>
      isAllowingCommands(rule) &&
      rule.matches.kind === 'command' &&
      rule.matches.pattern.form === 'exact' &&
      rule.matches.pattern.text === text,
  );
}
