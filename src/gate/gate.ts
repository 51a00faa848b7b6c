/**
 * The gate as the loop sees it: the permission engine under each agent's own policy, and the way to the person.
 * The engine is large and loaded with the first call, not before the first request.
 */

import type { Agent } from '../loop/agent.js';
import type { Answer, GatedCall, GatePort } from '../loop/ports.js';
import type { AskPermission, Decision } from '../protocol/permission.js';
import type { SessionRules } from './ask/session-rules-port.js';
import type { Policy } from './permissions/policy.js';
import { matchPath } from './permissions/rules/path-pattern.js';
import { parseRule, type Rule } from './permissions/rules/rule.js';

export type GateOptions = {
  readonly rules: SessionRules;
  readonly home: string;
  readonly trusted: boolean;
  readonly readRoots: readonly string[];
  /** Undefined: nobody can be asked. */
  readonly ask: AskPermission | undefined;
};

export function createGatePort(options: GateOptions): GatePort {
  const policyOf = (agent: Agent): Policy => ({
    mode: agent.permission.mode,
    rules: [...options.rules.all(), ...limitRules(agent, 'never', 'deny')],
    roots: agent.roots,
    readRoots: options.readRoots,
    home: options.home,
    trusted: options.trusted,
    files: agent.host.files.sync,
    readOnlyOnly: agent.permission.readOnly,
  });

  return {
    decide: async (agent, call) => {
      const { explain } = await import('./permissions/judge.js');
      const gated = { ...call, cwd: agent.shell.cwd };
      const policy = policyOf(agent);
      const verdict = await explain(gated, policy);
      const only = limitRules(agent, 'only', 'allow').filter((rule) => rule.tool === call.tool);
      if (verdict.decision.behavior === 'deny' || only.length === 0) return verdict;
      // What these rules alone would let through is what the definition gave it.
      const inside = await explain(gated, { ...policy, mode: 'dontAsk', rules: only });
      if (inside.decision.behavior === 'allow') return verdict;
      return { ...verdict, decision: outside(agent, call.tool, only) };
    },
    mayRead: (agent) => {
      const denied = options.rules.all().filter((rule) => rule.behavior === 'deny' && rule.tool === 'Read');
      if (denied.length === 0) return undefined;
      const folders = { home: options.home, working: agent.roots };
      return (path) =>
        !denied.some(({ matches }) => matches.kind === 'path' && matchPath(matches.pattern, path, folders));
    },
    ask: (agent, call, reason, signal) => askWithHooks(options, agent, call, reason, signal),
  };
}

/** Its definition's own rules about single tools. One that can't be read lets nothing through. */
function limitRules({ type, permission, host }: Agent, which: 'only' | 'never', behavior: Rule['behavior']): Rule[] {
  const origin = { source: `the definition of ${type}`, base: host.folder };
  return (permission.limits?.[which] ?? []).flatMap((text) => {
    const { rule } = parseRule(text, behavior, origin);
    return rule === undefined ? [] : [rule];
  });
}

function outside(agent: Agent, tool: string, only: readonly Rule[]): Decision {
  const rules = only.map((rule) => rule.text).join(', ');
  const reason = `the definition of ${agent.type} gives it ${tool} only for: ${rules}. Do without, or say what you would need.`;
  return { behavior: 'deny', by: 'definition', reason };
}

/** Hooks that answer for the person come first; then the person; without one, a denial that says what to do. */
async function askWithHooks(
  options: GateOptions,
  agent: Agent,
  call: GatedCall,
  reason: string,
  signal: AbortSignal,
): Promise<Answer> {
  const fields = { tool_name: call.tool, tool_input: call.input, tool_use_id: call.id };
  const verdict = await agent.hooks.run('PermissionRequest', fields, { signal });
  for (const { level, hook, text } of verdict.messages) {
    await agent.emit({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  if (verdict.decision === 'deny') {
    return {
      behavior: 'deny',
      by: 'hook',
      reason: verdict.reason ?? 'a hook said no',
      interrupt: verdict.stop !== undefined,
    };
  }
  if (verdict.decision === 'allow') {
    return { behavior: 'allow', by: 'hook', ...(verdict.updatedInput ? { updatedInput: verdict.updatedInput } : {}) };
  }
  if (options.ask === undefined) return nobodyToAsk(call, reason);
  const [{ suggestRule }, { destroys }] = await Promise.all([
    import('./permissions/suggest-rule.js'),
    import('./permissions/destroys.js'),
  ]);
  const suggestion = suggestRule({ ...call, cwd: agent.shell.cwd });
  const question = {
    id: agent.host.newId(),
    agent: { id: agent.id, type: agent.type, depth: agent.depth },
    call: { id: call.id, tool: call.tool, input: call.input },
    cwd: agent.shell.cwd,
    reason,
    destroys: call.actions.flatMap((action) => (action.kind === 'shell' ? destroys(action.command) : [])),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  await agent.emit({ kind: 'question-asked', call: call.id, tool: call.tool });
  const answer = await options.ask(question, signal);
  await agent.emit({ kind: 'question-settled', call: call.id });
  if (signal.aborted) return { behavior: 'deny', by: 'interruption', reason: 'the person interrupted' };
  if (answer.behavior === 'deny') {
    return {
      behavior: 'deny',
      by: 'person',
      reason: answer.reason ? `the person said no: ${answer.reason}` : 'the person said no',
      ...(answer.interrupt ? { interrupt: true } : {}),
    };
  }
  if (answer.always !== undefined && suggestion !== undefined) {
    const notSaved = await options.rules.allow(suggestion, answer.always);
    if (notSaved !== undefined) {
      const line = `the rule holds for this session but was not saved: ${notSaved}`;
      await agent.emit({ kind: 'line-shown', level: 'warning', line });
    }
  }
  return {
    behavior: 'allow',
    by: 'person',
    ...('updatedInput' in answer ? { updatedInput: answer.updatedInput } : {}),
  };
}

function nobodyToAsk(call: GatedCall, reason: string): Answer {
  return {
    behavior: 'deny',
    by: 'nobody to ask',
    reason:
      `${call.tool} needs the person's word (${reason}), and nobody can be asked in this run. ` +
      'Do without it, or say in your answer what you would need: it can be allowed with --allowedTools, ' +
      '--permission-mode or a rule in the settings.',
  };
}
