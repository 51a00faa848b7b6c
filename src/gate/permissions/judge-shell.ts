/** Judges a command line. Deny and ask rules check everything in it; allow needs every part plain and covered. */

import type { Decision } from '../../protocol/permission.js';
import { allow, ask, askByRule, askFirmly, deny, denyByRule, nameRule, strictest } from './decision.js';
import type { Resolver } from './paths/resolver.js';
import type { Policy } from './policy.js';
import { rulesIn } from './rules/bound.js';
import type { Rule } from './rules/rule.js';
import { assessLine, type LineAssessment } from './shell/assess-line.js';
import { assessPaths, foldersOf } from './shell/assess-paths.js';
import { examineProgram } from './shell/examine-program.js';
import { findCommandRule } from './shell/find-command-rule.js';
import { findPathRule } from './shell/find-path-rule.js';
import { type Reach, reachCommands } from './shell/reach-commands.js';
import { readCommand } from './shell/read-command.js';
import type { ShellReading } from './shell/shell-reading.js';

export type ShellCall = { readonly command: string; readonly cwd: string };

export function judgeShell(call: ShellCall, given: Policy, resolver: Resolver): Decision {
  const reading = readCommand(call.command);
  const cwds = foldersOf(reading.commands, call.cwd, given.home) ?? [call.cwd];
  // A rule bound to a root does not count in a line that goes to another one.
  const policy = cwds.length === 1 ? given : { ...given, rules: rulesIn(given.rules, cwds, given) };
  let reach: Reach | undefined;
  const line: Line = { call, reading, cwds, policy, resolver, reach: () => (reach ??= reachCommands(reading)) };

  const denied = findRestriction(line, 'deny');
  if (denied.sure !== undefined) return denyByRule(denied.sure, denied.what ?? 'this command');
  const asked = findRestriction(line, 'ask');
  const asking = asked.sure === undefined ? [] : [askByRule(asked.sure, asked.what ?? 'this command')];
  if (policy.readOnlyOnly === true || policy.mode === 'plan')
    return strictest([...asking, judgeReading(line, denied)]) ?? deny('mode plan', 'plan mode only reads');
  if (asking[0] !== undefined) return asking[0];
  const unseen = denied.maybe ?? asked.maybe;
  if (policy.mode === 'bypassPermissions')
    return unseen === undefined ? allow('mode bypassPermissions') : askUnseen(unseen);

  const guarded = findProtectedWrite(line);
  if (guarded !== undefined) return askFirmly('check protected-name', guarded);
  const whole = findWholeRule(line, unseen !== undefined);
  if (whole !== undefined) return whole;
  const assessed = assess(line, commandRules(policy));
  if (!assessed.fine) return ask('check command', assessed.reason);
  return settleUnseen(unseen, assessed.onlyReads) ?? allow(assessed.by);
}

type Line = {
  readonly call: ShellCall;
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
  /** What it may run, computed on first use. */
  reach(): Reach;
};

type Restriction = {
  readonly sure?: Rule;
  readonly what?: string;
  readonly maybe?: { readonly rule: Rule; readonly reason: string };
};

function findRestriction(line: Line, behavior: 'deny' | 'ask'): Restriction {
  const rules = line.policy.rules.filter((rule) => rule.behavior === behavior);
  if (rules.length === 0) return {};
  const { reading, cwds, call, policy, resolver } = line;
  const byCommand = rules.some((rule) => rule.tool === 'Bash') ? findCommandRule(rules, reading, line.reach()) : {};
  if (byCommand.sure !== undefined) return byCommand;
  if (!rules.some((rule) => rule.matches.kind === 'path')) return byCommand;
  const { commands } = line.reach();
  const folders = [...new Set([...cwds, ...(foldersOf(commands, call.cwd, policy.home) ?? [])])];
  const byPath = findPathRule(rules, {
    commands,
    reading,
    cwds: folders,
    home: policy.home,
    resolver,
  });
  return byPath.sure !== undefined || byCommand.maybe === undefined ? byPath : byCommand;
}

/** Plain words that only read can't hide a denied command, but they can name a denied file. */
function settleUnseen(unseen: Restriction['maybe'], onlyReads: boolean): Decision | undefined {
  if (unseen === undefined || (onlyReads && unseen.rule.tool === 'Bash')) return undefined;
  return askUnseen(unseen);
}

function askUnseen(unseen: NonNullable<Restriction['maybe']>): Decision {
  const { rule, reason } = unseen;
  return ask(nameRule(rule), `the rule ${rule.text} may apply to it: ${reason}`);
}

/** For read-only agents and plan mode: allow rules don't apply, only proof. */
function judgeReading(line: Line, denied: Restriction): Decision {
  const assessed = assess(line, []);
  const stance = line.policy.readOnlyOnly === true ? 'this agent only reads' : 'plan mode only reads';
  if (assessed.fine && assessed.onlyReads) {
    return settleUnseen(denied.maybe, true) ?? allow(`${assessed.by}, ${stance}`);
  }
  if (!assessed.fine && !assessed.changes) return ask('check command', assessed.reason);
  const reason = assessed.fine ? 'it changes files' : assessed.reason;
  return deny(
    line.policy.readOnlyOnly === true ? 'check read-only agent' : 'mode plan',
    `${stance}, and this command is not proven to only read: ${reason}. Use Read, Grep, Glob or a plain reading command.`,
  );
}

function assess(line: Line, rules: readonly Rule[]): LineAssessment {
  const { reading, cwds, policy, resolver, call } = line;
  if (foldersOf(reading.commands, call.cwd, policy.home) === undefined)
    return { fine: false, reason: 'it is unclear where its cd leads', changes: true };
  if (!policy.roots.includes(call.cwd) && !resolver.isReadable(resolver.resolve('.', call.cwd)))
    return {
      fine: false,
      reason: `the shell is outside the folders this session works in (${call.cwd})`,
      changes: false,
    };
  return assessLine({ reading, cwds, policy, resolver, rules });
}

/** Visible writes to protected names always need a question, even where a rule allows everything. */
function findProtectedWrite(line: Line): string | undefined {
  for (const command of line.reading.commands) {
    const words = command.words.map((word) => word.value ?? '');
    const writes = command.redirects.some((redirect) => redirect.kind === 'write' || redirect.kind === 'append');
    const finding = words.length === 0 ? { reads: true, problems: [], paths: [] } : examineProgram(words, false);
    if (!writes && !finding.paths.some((use) => use.use === 'write')) continue;
    const objections = assessPaths(command, finding, line);
    const always = objections.find((objection) => objection.always === true);
    if (always !== undefined) return always.reason;
  }
  return undefined;
}

/** Rules about the whole line: every command (`Bash`), or exactly this text. */
function findWholeRule(line: Line, isUnseen: boolean): Decision | undefined {
  const { policy, reading } = line;
  const text = reading.text.trim();
  for (const rule of policy.rules) {
    if (rule.behavior !== 'allow' || rule.tool !== 'Bash') continue;
    const { matches } = rule;
    if (matches.kind === 'every' && isUnseen) continue;
    const exact = matches.kind === 'command' && matches.pattern.form === 'exact' && matches.pattern.text === text;
    if (matches.kind !== 'every' && !exact) continue;
    const repo = findUntrustedRepo(line);
    return repo === undefined ? allow(nameRule(rule)) : ask('check repository', repo);
  }
  return undefined;
}

/** Git in an untrusted repository with programs of its own: no rule covers those. */
function findUntrustedRepo(line: Line): string | undefined {
  const { policy, reading, cwds, resolver } = line;
  if (policy.trusted || policy.ownWorktree === true) return undefined;
  if (!reading.commands.some((command) => command.words.some((word) => /(?:^|\/)git$/.test(word.value ?? ''))))
    return undefined;
  for (const cwd of cwds) {
    const { program } = resolver.repository(cwd);
    if (program !== undefined)
      return `the repository may run a program of its own (${program}), and the folder is not trusted`;
  }
  return undefined;
}

function commandRules(policy: Policy): readonly Rule[] {
  return policy.rules.filter((rule) => rule.behavior === 'allow' && rule.tool === 'Bash');
}
