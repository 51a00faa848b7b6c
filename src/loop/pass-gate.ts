/** Takes a call through the gate: rules and mode decide, and the user is asked where they require it. */

import type { GatedCall, Judgement } from '../gate/gate.js';
import type { JudgedAgent, Requester } from '../gate/requester.js';
import { failed, succeeded, type ToolOutcome } from '../protocol/outcome.js';
import { type Parsed, type ParsedCall, parseCall } from './parse-call.js';
import type { Call, Run } from './run.js';

/** `hook`: the verdict of the PreToolUse hooks. */
export async function passGate(
  run: Run,
  call: Call,
  parsed: ParsedCall,
  hook: 'allow' | 'ask' | 'deny' | undefined,
  hookReason?: string,
  changes = 0,
  /** The user wrote this input. */
  isByUser = false,
): Promise<Parsed> {
  const { agent, ports, signal } = run;
  const isTyped = call.typed === true && isByUser;
  const judgement = await ports.gate.decide(isTyped ? asPerson(agent.requester) : agent.requester, parsed.call);
  const { decision } = judgement;
  const allowed = { ...parsed, ...permittedBy(judgement) };
  if (decision.behavior === 'deny') {
    return { kind: 'immediate', outcome: await denied(run, parsed.call, decision.by, decision.reason) };
  }
  // A hook may answer on behalf of the user, but it can't override a deny, which was handled above.
  const mustAsk = hook === 'ask' || (decision.behavior === 'ask' && (decision.firm === true || hook !== 'allow'));
  // A tool that asks the user anyway needs no permission prompt.
  if (!mustAsk || (isByUser && !isTyped) || parsed.tool.asksPerson === true) return allowed;
  if (isTyped) {
    const { id, tool } = parsed.call;
    await agent.emit({ kind: 'permission-answered', call: id, tool, behavior: 'allow', by: 'person' });
    return allowed;
  }
  const question = decision.behavior === 'ask' ? decision : { reason: hookReason ?? 'a hook asks for your word' };
  const answer = await ports.gate.ask(agent.requester, parsed.call, question, signal);
  if (answer.behavior === 'deny') {
    const { conclusion } = answer;
    if (conclusion !== undefined) return { kind: 'immediate', outcome: succeeded(answer.reason), conclusion };
    const outcome = await denied(run, parsed.call, answer.by, answer.reason);
    return { kind: 'immediate', outcome, ...(answer.interrupt ? { stop: answer.reason } : {}) };
  }
  await agent.emit({
    kind: 'permission-answered',
    call: parsed.call.id,
    tool: parsed.tool.name,
    behavior: 'allow',
    by: answer.by,
  });
  if (answer.updatedInput === undefined) return allowed;
  const changed = parseCall(run, call, answer.updatedInput);
  if (changed.kind === 'immediate') return changed;
  if (isSameInput(changed, parsed)) return allowed;
  if (changes >= MOST_CHANGES) {
    const reason = 'the answers changed its input again and again';
    return { kind: 'immediate', outcome: await denied(run, changed.call, 'gate', reason) };
  }
  // Judged like a new call: the answer covers it, but can't override a deny or answer a mandatory question unseen.
  return passGate(run, call, changed, 'allow', undefined, changes + 1, answer.isTheirs);
}

/** Drops the mode and definition limits that apply only to agents. Rules apply to both. */
function asPerson({ memory: _memory, grants: _grants, ...requester }: Requester): JudgedAgent {
  return { ...requester, mode: 'default', readOnly: false, limits: undefined };
}

/** Limits how often answers may change one call, or a handler that always changes it would loop forever. */
const MOST_CHANGES = 5;

function isSameInput(a: ParsedCall, b: ParsedCall): boolean {
  return JSON.stringify(a.input) === JSON.stringify(b.input);
}

/** What was judged is what is enforced, even if a hook also required the user's approval. */
function permittedBy({ decision, realPaths, box }: Judgement): Pick<ParsedCall, 'judged' | 'permitted'> {
  const run = decision.behavior === 'allow' ? decision.run : undefined;
  return { judged: realPaths, permitted: run ? { run, ...(box ? { box } : {}) } : {} };
}

export async function denied(run: Run, call: GatedCall, by: string, reason: string): Promise<ToolOutcome> {
  await run.agent.emit({ kind: 'permission-answered', call: call.id, tool: call.tool, behavior: 'deny', by, reason });
  return failed(`Permission denied: ${reason}`);
}
