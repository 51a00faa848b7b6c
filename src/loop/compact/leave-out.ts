/** Leaves out input too large for any compaction to make room for, and reports its size. */

import { estimateBlock } from '../../model/models.js';
import { type ToolResultBlock, text } from '../../protocol/blocks.js';
import { wholeCount } from '../../protocol/format-numbers.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { Agent } from '../agent.js';
import type { Run, TurnFailure } from '../run.js';

/** Few texts have more bytes per token than this, so what exceeds the window by this measure really does. */
const MOST_BYTES_PER_TOKEN = 4.5;
/** Converts our estimate, which uses the mean, to that lower bound. */
const SURELY = 3.5 / MOST_BYTES_PER_TOKEN;
/** Smaller blocks are never the cause. */
const SMALL = 2_000;

/** Checks before a request. Returns undefined if the new input may fit. */
export async function leaveOutOversized(run: Run): Promise<TurnFailure | undefined> {
  const { agent } = run;
  const { context } = agent.epoch.model;
  let failure: TurnFailure | undefined;
  while (prefixTokens(agent) * SURELY + newTokens(agent) * SURELY > context) {
    const largest = largestNew(agent);
    if (largest === undefined) break;
    failure = (await leaveOut(run, largest)) ?? failure;
  }
  return failure;
}

/** Handles a request that the API rejected as too long. Returns undefined if compaction can help. */
export async function leaveOutRefused(run: Run): Promise<TurnFailure | undefined> {
  const { agent } = run;
  const room = agent.epoch.model.context - prefixTokens(agent);
  const hasMore = firstNew(agent) > 0;
  if (hasMore && newTokens(agent) < room * 0.6) return undefined;
  const largest = largestNew(agent);
  return largest && leaveOut(run, largest);
}

type NewBlock = {
  readonly message: number;
  readonly block: number;
  readonly frozen: FrozenBlock;
  readonly tokens: number;
};

/** Returns the failure, except for a tool result: the model sees a note instead and can try another way. */
async function leaveOut({ agent }: Run, largest: NewBlock): Promise<TurnFailure | undefined> {
  const { message, block, frozen, tokens } = largest;
  const { context, id } = agent.epoch.model;
  const sizes = `about ${wholeCount(tokens)} tokens (${inMegabytes(frozen.bytes.length)}), and the context window of ${id} has ${wholeCount(context)}`;
  const note = text(`[Left out, because it is too large: ${sizes}]`);
  const result = frozen.type === 'tool_result' ? (parseBlock(frozen) as ToolResultBlock) : undefined;
  const blocks = [freezeBlock(result === undefined ? note : { ...result, content: [note], is_error: true })];
  await agent.emit({ kind: 'history-mended', reason: 'too large', message, block, blocks });
  const what = result !== undefined ? 'the result of a call' : nameOf(frozen);
  const line = `${what} is too large: ${sizes}. It was not sent; the conversation goes on without it${result === undefined ? '. Put it into a file, to be read in parts' : ''}`;
  await agent.emit({ kind: 'fault-met', fault: 'too-large', line });
  return result === undefined ? { kind: 'failed', reason: 'overflow', line } : undefined;
}

function nameOf(frozen: FrozenBlock): string {
  const block = parseBlock(frozen);
  if (block.type !== 'text') return `the ${block.type}`;
  return block.text.startsWith('<system-reminder')
    ? 'what the session begins with (instructions, environment)'
    : 'the prompt';
}

/** The index of the first message since the last reply. */
function firstNew({ state: { history } }: Agent): number {
  let first = history.length;
  while (first > 0 && history.at(first - 1)?.role === 'user') first -= 1;
  return first;
}

function newBlocks(agent: Agent): NewBlock[] {
  const { history } = agent.state;
  const blocks: NewBlock[] = [];
  for (let message = firstNew(agent); message < history.length; message += 1) {
    for (const [block, frozen] of (history.at(message)?.blocks ?? []).entries()) {
      blocks.push({ message, block, frozen, tokens: estimateBlock(frozen) });
    }
  }
  return blocks;
}

function newTokens(agent: Agent): number {
  return newBlocks(agent).reduce((sum, { tokens }) => sum + tokens, 0);
}

function largestNew(agent: Agent): NewBlock | undefined {
  const [largest] = newBlocks(agent).sort((a, b) => b.tokens - a.tokens);
  return largest !== undefined && largest.tokens > SMALL ? largest : undefined;
}

function prefixTokens({ epoch }: Agent): number {
  return epoch.prefix.bytes.length / 3.5;
}

function inMegabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
