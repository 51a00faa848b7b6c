/**
 * Handles faults that a retry can't fix. Each fix is tried once per turn, leaves a valid conversation and shows one
 * message. Changing a history that was already sent ends the epoch.
 */

import type { BlockPosition, ModelFault } from '../model/fault.js';
import { type ToolResultBlock, text } from '../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../protocol/frozen-block.js';
import { type Compaction, compact } from './compact/compact.js';
import { leaveOutRefused } from './compact/leave-out.js';
import type { Run, TurnFailure } from './run.js';
import { fallBack } from './send-request.js';

export type Recovery = Compaction;

export async function recover(run: Run, fault: ModelFault, tried: Set<string>): Promise<Recovery> {
  const fix = fixFor(fault);
  const again = tried.has(fix);
  tried.add(fix);
  if (again) return giveUp(run, fault);
  switch (fault.kind) {
    case 'bad-block':
      return replaceBlock(run, fault.at, fault.message);
    case 'request-too-large': {
      const largest = largestBlock(run);
      // Each round removes the largest block, so this terminates.
      tried.delete(fix);
      return largest ? replaceBlock(run, largest, fault.message) : giveUp(run, fault);
    }
    case 'overloaded':
      return (await fallBack(run, fault)) ? { kind: 'recovered' } : giveUp(run, fault);
    case 'thinking-rejected':
      return dropThinking(run, fault.message);
    case 'context-overflow': {
      const leftOut = await leaveOutRefused(run);
      if (leftOut !== undefined) return leftOut;
      // With no conversation yet, instructions and tools alone are too long, and there is nothing to summarise.
      if (run.agent.state.history.length < 2) return giveUp(run, fault);
      const line = `the conversation no longer fits the model's context (${fault.message}); compacting it`;
      await run.agent.emit({ kind: 'fault-met', fault: fault.kind, line });
      return compact(run, 'overflow');
    }
    default:
      return giveUp(run, fault);
  }
}

/** Each block is replaced at most once per turn. */
function fixFor(fault: ModelFault): string {
  return fault.kind === 'bad-block' ? `${fault.kind} ${fault.at.message}.${fault.at.block}` : fault.kind;
}

async function giveUp(run: Run, fault: ModelFault): Promise<TurnFailure> {
  const { fallbackFor, model } = run.agent.epoch;
  const both = fault.kind === 'overloaded' && fallbackFor !== undefined;
  const where = both ? `${fallbackFor} is overloaded, and so is ${model.id}: ` : '';
  const line = `${where}${run.ports.model.explain(fault)}`;
  await run.agent.emit({ kind: 'fault-met', fault: fault.kind, line });
  const overflow = fault.kind === 'context-overflow';
  return { kind: 'failed', reason: overflow ? 'overflow' : 'api_error', line };
}

async function replaceBlock(run: Run, { message, block }: BlockPosition, reason: string): Promise<Recovery> {
  const old = run.agent.state.history.at(message)?.blocks[block];
  if (old === undefined) {
    return giveUp(run, { kind: 'invalid-request', message: reason });
  }
  const blocks = [freezeBlock(noteFor(old, reason))];
  await run.agent.emit({ kind: 'history-mended', reason, message, block, blocks });
  await run.agent.emit({
    kind: 'fault-met',
    fault: 'bad-block',
    line: `the API refused a block of the conversation (${reason}); it was replaced by a note`,
  });
  return { kind: 'recovered' };
}

function noteFor(block: FrozenBlock, reason: string): ToolResultBlock | ReturnType<typeof text> {
  const note = text(`[Left out, because the API refused it: ${reason.slice(0, 300)}]`);
  if (block.type !== 'tool_result') return note;
  const result = parseBlock(block) as ToolResultBlock;
  return { type: 'tool_result', tool_use_id: result.tool_use_id, content: [note], is_error: true };
}

/** The block to drop when the request is too large: the largest in a user message. */
function largestBlock({ agent }: Run): BlockPosition | undefined {
  let largest: (BlockPosition & { size: number }) | undefined;
  let index = 0;
  for (const message of agent.state.history) {
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

/** Drops thinking blocks: signatures that became invalid (another model, another login) can't be repaired. */
async function dropThinking(run: Run, reason: string): Promise<Recovery> {
  await run.agent.emit({ kind: 'history-mended', reason, message: -1, block: -1, blocks: [] });
  const line = `the API refused earlier thinking (${reason}); it was left out`;
  await run.agent.emit({ kind: 'fault-met', fault: 'thinking-rejected', line });
  return { kind: 'recovered' };
}
