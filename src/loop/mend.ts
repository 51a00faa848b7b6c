/**
 * What is done about a fault that sending again would not cure. Each cure is tried once per turn, leaves a valid
 * conversation, and says so in one visible line. The history the API rejected ends an epoch.
 */

import { Conversation } from '../model/conversation.js';
import { type BlockPosition, isPassing, type ModelFault } from '../model/fault.js';
import { type ToolResultBlock, text } from '../protocol/blocks.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from '../protocol/frozen-block.js';
import { NO_REQUEST } from './agent.js';
import { compact } from './compact.js';
import type { Run } from './run.js';
import type { TurnFailure } from './turn-failure.js';

export type Mending = { readonly kind: 'mended' } | TurnFailure;

export async function mend(run: Run, fault: ModelFault, tried: Set<string>): Promise<Mending> {
  const cure = cureFor(fault);
  const again = tried.has(cure);
  tried.add(cure);
  if (again) return giveUp(run, fault);
  switch (fault.kind) {
    case 'bad-block':
      return replaceBlock(run, fault.at, fault.message);
    case 'request-too-large': {
      const largest = largestBlock(run);
      // Each time the largest goes, so that this ends by itself.
      tried.delete(cure);
      return largest ? replaceBlock(run, largest, fault.message) : giveUp(run, fault);
    }
    case 'thinking-rejected':
      return dropThinking(run, fault.message);
    case 'context-overflow': {
      const line = `the conversation no longer fits the model's context (${fault.message}); compacting it`;
      await run.agent.emit({ kind: 'fault-met', fault: fault.kind, line });
      return compact(run, 'overflow');
    }
    default:
      return giveUp(run, fault);
  }
}

/** Each block is replaced but once; of two bad ones, both are. A large block is small once it was replaced. */
function cureFor(fault: ModelFault): string {
  return fault.kind === 'bad-block' ? `${fault.kind} ${fault.at.message}.${fault.at.block}` : fault.kind;
}

async function giveUp(run: Run, fault: ModelFault): Promise<TurnFailure> {
  const line = explain(fault);
  await run.agent.emit({ kind: 'fault-met', fault: fault.kind, line });
  const overflow = fault.kind === 'context-overflow';
  return { kind: 'failed', reason: overflow ? 'overflow' : 'api_error', line };
}

function explain(fault: ModelFault): string {
  switch (fault.kind) {
    case 'unauthorized':
      return `the API refused the key: ${fault.message}. Check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, apiKeyHelper)`;
    case 'not-found':
      return `the API knows no such model or address: ${fault.message}. Check --model and ANTHROPIC_BASE_URL`;
    case 'no-connection':
      return `${fault.message}. Check ANTHROPIC_BASE_URL, the network and the proxy settings`;
    case 'context-overflow':
      return `the conversation no longer fits the model's context: ${fault.message}. Start a new session or compact it by hand`;
    default:
      return isPassing(fault)
        ? `${fault.message}; gave up after several tries`
        : `the API refused the request: ${fault.message}`;
  }
}

async function replaceBlock(run: Run, place: BlockPosition, reason: string): Promise<Mending> {
  const { conversation } = run.agent;
  const old = conversation.history.at(place.message)?.blocks[place.block];
  if (old === undefined) {
    return giveUp(run, { kind: 'invalid-request', message: reason });
  }
  const note = freezeBlock(noteFor(old, reason));
  await run.agent.emit({
    kind: 'history-mended',
    reason: reason,
    message: place.message,
    block: place.block,
    blocks: [note],
  });
  await changeHistory(run, (message, index) =>
    index === place.message
      ? { ...message, blocks: message.blocks.map((block, at) => (at === place.block ? note : block)) }
      : message,
  );
  await run.agent.emit({
    kind: 'fault-met',
    fault: 'bad-block',
    line: `the API refused a block of the conversation (${reason}); it was replaced by a note`,
  });
  return { kind: 'mended' };
}

function noteFor(block: FrozenBlock, reason: string): ToolResultBlock | ReturnType<typeof text> {
  const note = text(`[Left out, because the API refused it: ${reason.slice(0, 300)}]`);
  if (block.type !== 'tool_result') return note;
  const result = parseBlock(block) as ToolResultBlock;
  return { type: 'tool_result', tool_use_id: result.tool_use_id, content: [note], is_error: true };
}

/** The block to give up when the whole is too large: the largest that is not the model's own. */
function largestBlock({ agent }: Run): BlockPosition | undefined {
  let largest: (BlockPosition & { size: number }) | undefined;
  let index = 0;
  for (const message of agent.conversation.history) {
    if (message.role === 'user') {
      message.blocks.forEach((block, at) => {
        const size = block.bytes.length;
        if (size > (largest?.size ?? 10_000)) largest = { message: index, block: at, size };
      });
    }
    index += 1;
  }
  return largest;
}

/** Signatures that no longer hold (another model, another login) can't be repaired, only left out. */
async function dropThinking(run: Run, reason: string): Promise<Mending> {
  await run.agent.emit({ kind: 'history-mended', reason: reason, message: -1, block: -1, blocks: [] });
  await changeHistory(run, (message) => {
    const blocks = message.blocks.filter((block) => block.takesBreakpoint);
    return blocks.length > 0 ? { ...message, blocks } : undefined;
  });
  const line = `the API refused earlier thinking (${reason}); it was left out`;
  await run.agent.emit({ kind: 'fault-met', fault: 'thinking-rejected', line });
  return { kind: 'mended' };
}

async function changeHistory(
  run: Run,
  change: (message: FrozenMessage, index: number) => FrozenMessage | undefined,
): Promise<void> {
  const { agent } = run;
  const conversation = new Conversation(agent.conversation.prefix);
  let index = 0;
  for (const message of agent.conversation.history) {
    const changed = change(message, index);
    if (changed) conversation.append(changed);
    index += 1;
  }
  agent.conversation = conversation;
  agent.newEpoch = 'history-rejected';
  agent.lastRequest = NO_REQUEST;
  agent.reference = undefined;
}
