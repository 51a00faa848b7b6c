/**
 * Decides whether a call may run. Order: deny rules, ask rules, read-only limits, bypass, protected names, allow rules,
 * the mode's default; in `dontAsk`, a question becomes a denial. Reads files and changes nothing.
 */

import type { Action } from '../../protocol/action.js';
import type { Decision } from '../../protocol/permission.js';
import { allow, ask, askByRule, askFirmly, deny, denyByRule, nameRule, settleMode, strictest } from './decision.js';
import { judgeShell } from './judge-shell.js';
import { isOwnNote, isWritableNote } from './paths/own-memory.js';
import { describeLeaving, leavesWorktree } from './paths/own-worktree.js';
import { isWithin } from './paths/resolve-path.js';
import { createResolver, type Resolver } from './paths/resolver.js';
import type { Call, Policy } from './policy.js';
import { matchRule } from './rules/match-rule.js';
import type { Rule } from './rules/rule.js';

export function judge(call: Call, policy: Policy): Decision {
  return explain(call, policy).decision;
}

export type Explanation = {
  readonly decision: Decision;
  /** The decision about each declared action, in order. */
  readonly parts: readonly { readonly action: Action; readonly decision: Decision }[];
  /** The real path of each declared path when it was judged; only that may be opened. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** It touches nothing but the agent's own notes. */
  readonly inMemory: boolean;
};

export function explain(call: Call, policy: Policy): Explanation {
  const resolver = createResolver(policy, call.cwd);
  const parts: { action: Action; decision: Decision }[] = [];
  const realPaths = new Map<string, string>();
  for (const action of call.actions) {
    parts.push({ action, decision: settleMode(policy, judgeAction(action, call, policy, resolver)) });
    const paths = 'path' in action ? [action.path] : action.kind === 'grant' ? action.paths : [];
    for (const path of paths) realPaths.set(path, resolver.resolve(path, call.cwd).real);
  }
  const undeclared = () =>
    settleMode(policy, ask('check declaration', `${call.tool} does not say what it is about to do`));
  const inMemory =
    call.actions.length > 0 && call.actions.every((action) => isInMemory(action, call, policy, resolver));
  return { decision: strictest(parts.map((part) => part.decision)) ?? undeclared(), parts, realPaths, inMemory };
}

function isInMemory(action: Action, { cwd }: Call, { memory }: Policy, resolver: Resolver): boolean {
  if (action.kind === 'read' || action.kind === 'search') return isOwnNote(memory, resolver.resolve(action.path, cwd));
  return action.kind === 'edit' && isWritableNote(memory, resolver.resolve(action.path, cwd));
}

function judgeAction(action: Action, call: Call, policy: Policy, resolver: Resolver): Decision {
  const find = (behavior: Rule['behavior']) => findRule(behavior, action, call, policy, resolver);
  const what = describeAction(action, call);
  const denying = find('deny');
  if (denying !== undefined) return denyByRule(denying, what);
  if (action.kind === 'shell') return judgeShell(action, policy, resolver);
  const isPlan = isOwnPlan(action, call, policy, resolver);
  const changing = isPlan ? undefined : refuseChange(action, policy, what);
  if (changing !== undefined) return changing;
  const asking = find('ask');
  if (asking !== undefined) return askByRule(asking, what);
  if (isPlan) return allow("the session's plan");
  // No rule and no mode answers for the user (GT-30).
  if (action.kind === 'mcp' && action.interactive === true)
    return askFirmly('check MCP', `the server wants a person's word for each call of ${what}`);
  if (action.kind === 'plan') return judgePlan(policy);
  const doubt = doubtServer(action, policy, what);
  if (doubt !== undefined) return doubt;
  if (policy.mode === 'bypassPermissions') return allow('mode bypassPermissions');
  return judgeByKind(action, policy, resolver, call, () => find('allow'));
}

/** Any agent may read it; only the main agent writes it, and only in plan mode. Another name of it is another file. */
function isOwnPlan(action: Action, { cwd }: Call, { plan, mode }: Policy, resolver: Resolver): boolean {
  if (plan === undefined || (action.kind !== 'read' && action.kind !== 'edit')) return false;
  if (action.kind === 'edit' && (mode !== 'plan' || !plan.isMain)) return false;
  const { lexical, real, kind, problem, writeProblem } = resolver.resolve(action.path, cwd);
  if (problem !== undefined || writeProblem !== undefined || kind === 'folder') return false;
  return lexical === plan.file && real === plan.file;
}

function findRule(
  behavior: Rule['behavior'],
  action: Action,
  call: Call,
  policy: Policy,
  resolver: Resolver,
): Rule | undefined {
  for (const rule of policy.rules) {
    if (rule.behavior === behavior && matchRule(rule, call, action, resolver)) return rule;
  }
  return undefined;
}

/** Read-only agents and plan mode: a certain change is refused before any rule can allow it. */
function refuseChange(action: Action, policy: Policy, what: string): Decision | undefined {
  const changes = action.kind === 'edit' || (action.kind === 'custom' && !action.readOnly);
  if (!changes) return undefined;
  if (policy.readOnlyOnly === true)
    return deny(
      'check read-only agent',
      `this agent only reads; ${what} would change something. Report what should change instead.`,
    );
  if (policy.mode === 'plan')
    return deny('mode plan', `plan mode only reads; ${what} would change something. Put it into the plan.`);
  return undefined;
}

/** Only the user ends plan mode, by accepting a plan: no rule, mode or hook does (EX-15). */
function judgePlan({ mode, plan }: Policy): Decision {
  if (mode !== 'plan') return deny('mode', NOT_PLANNING);
  if (plan?.isMain !== true) return deny('check plan', ONLY_MAIN);
  return askFirmly('check plan', 'nothing is changed until you accept the plan');
}

const NOT_PLANNING =
  'the session is not in plan mode, so no plan was shown to the person and nothing was decided. Go on with what you were asked to do.';

const ONLY_MAIN =
  'only the main agent ends plan mode; report your plan. Nothing was shown to the person, and nothing was decided.';

/** Where only reading is allowed, no rule or hook can allow a server's tool, because nobody can prove what it does (MC-21). */
function doubtServer(action: Action, policy: Policy, what: string): Decision | undefined {
  if (action.kind !== 'mcp' || action.tool === undefined) return undefined;
  if (policy.mode !== 'plan' && policy.readOnlyOnly !== true) return undefined;
  const who = policy.mode === 'plan' ? 'plan mode' : 'this agent';
  return askFirmly('check MCP', `${who} only reads, and ${what} may change something`);
}

function judgeByKind(
  action: Exclude<Action, { kind: 'shell' | 'plan' }>,
  policy: Policy,
  resolver: Resolver,
  call: Call,
  findAllow: () => Rule | undefined,
): Decision {
  switch (action.kind) {
    case 'session':
      return allow('session state only');
    case 'skill':
      return allow('a skill is only text');
    case 'web-search':
      return byRuleOr(findAllow, ask('check network', 'it searches the web, and no rule allows that'));
    case 'spawn': {
      const { gains = [] } = action;
      if (gains.length === 0) return allow('agents may be started');
      const does = action.writesTo === undefined ? 'starts' : `writes to ${action.writesTo}, of type`;
      const reason = `an agent that was not given ${gains.join(', ')} ${does} ${action.type}, which has it`;
      return byRuleOr(findAllow, ask('check agent', reason));
    }
    case 'read':
    case 'search':
      return judgeRead(action.path, policy, resolver, call, findAllow);
    case 'edit':
      return judgeEdit(action.path, policy, resolver, call, findAllow);
    case 'grant':
      // No rule grants this: every time needs permission.
      return askFirmly(
        'check sandbox',
        `it asks to ${describeGrant(action, resolver, call)}, which the sandbox prevents`,
      );
    case 'fetch':
      return byRuleOr(findAllow, ask('check network', `it fetches ${action.url}, and no rule allows that host`));
    case 'mcp':
      if (action.lists) return allow('only lists names');
      return byRuleOr(findAllow, ask('check MCP', `no rule allows ${describeAction(action, call)}`));
    case 'custom':
      if (action.readOnly) return allow('the tool only reads');
      return byRuleOr(findAllow, ask('check tool', `${call.tool} may change something, and no rule allows it`));
    default:
      return action satisfies never;
  }
}

function byRuleOr(findAllow: () => Rule | undefined, otherwise: Decision): Decision {
  const rule = findAllow();
  return rule === undefined ? otherwise : allow(nameRule(rule));
}

function judgeRead(
  path: string,
  policy: Policy,
  resolver: Resolver,
  call: Call,
  findAllow: () => Rule | undefined,
): Decision {
  const resolved = resolver.resolve(path, call.cwd);
  if (resolved.problem !== undefined) return ask('check path', `${resolved.lexical}: ${resolved.problem}`);
  if (isOwnNote(policy.memory, resolved)) return allow('its own memory');
  // Another name of a file elsewhere is not a note.
  if (policy.memory !== undefined && isWithin(resolved.real, policy.memory) && resolved.writeProblem !== undefined)
    return ask('check path', `${resolved.lexical}: ${resolved.writeProblem}`);
  if (resolver.isReadable(resolved)) return allow('reading inside the roots');
  return byRuleOr(findAllow, ask('check path', describeOutside(resolved.real, policy)));
}

function describeOutside(real: string, { worktree }: Policy): string {
  if (worktree !== undefined && leavesWorktree(worktree, real)) return describeLeaving(worktree, real);
  return `${real} is outside the folders this session works in`;
}

function judgeEdit(
  path: string,
  policy: Policy,
  resolver: Resolver,
  call: Call,
  findAllow: () => Rule | undefined,
): Decision {
  const resolved = resolver.resolve(path, call.cwd);
  if (isWritableNote(policy.memory, resolved)) return allow('its own memory');
  if (resolved.protectedName !== undefined)
    return askFirmly(
      'check protected-name',
      `${resolved.protectedName} controls what runs or is allowed later, so every change to it needs a permission`,
    );
  if (policy.worktree !== undefined && leavesWorktree(policy.worktree, resolved.real))
    return askFirmly('check worktree', describeLeaving(policy.worktree, resolved.real));
  const problem = resolved.problem ?? resolved.writeProblem;
  if (problem !== undefined) return ask('check path', `${resolved.lexical}: ${problem}`);
  const rule = findAllow();
  // `Edit` without a path covers the roots; anything else needs a rule with a path.
  if (rule !== undefined && (resolved.inside !== undefined || rule.matches.kind === 'path'))
    return allow(nameRule(rule));
  if (resolved.inside === undefined)
    return ask('check path', `${resolved.real} is outside the folders this session works in`);
  if (policy.mode === 'acceptEdits') return allow('mode acceptEdits');
  return ask('mode default', `it changes ${resolved.real}`);
}

/** Names the real target of each path, because that is what is opened. */
function describeGrant(action: Extract<Action, { kind: 'grant' }>, resolver: Resolver, call: Call): string {
  const writes = action.paths.map((path) => {
    const { real } = resolver.resolve(path, call.cwd);
    return real === path ? `write to ${path}` : `write to ${path}, which leads to ${real}`;
  });
  return [...(action.network ? ['use the network'] : []), ...writes].join(' and ') || 'no additional access';
}

function describeAction(action: Action, call: Call): string {
  switch (action.kind) {
    case 'read':
      return `reading ${action.path}`;
    case 'search':
      return `searching ${action.path}`;
    case 'edit':
      return `changing ${action.path}`;
    case 'shell':
      return 'this command';
    case 'grant':
      return 'more than the sandbox gives';
    case 'fetch':
      return `fetching ${action.url}`;
    case 'spawn':
      return action.writesTo === undefined
        ? `starting the agent ${action.type}`
        : `writing to ${action.writesTo}, an agent of type ${action.type}`;
    case 'mcp':
      if (action.tool === undefined) return `reading from the MCP server ${action.server} (mcp__${action.server})`;
      return `mcp__${action.server}__${action.tool}`;
    case 'skill':
      return `the skill ${action.name}`;
    case 'web-search':
      return `searching the web for ${action.query}`;
    case 'plan':
    case 'session':
    case 'custom':
      return call.tool;
    default:
      return action satisfies never;
  }
}
