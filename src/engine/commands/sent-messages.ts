/** Messages that you sent and no agent has read: takes them back, or sends held ones. */

import type { UserBlock } from '../../protocol/blocks.js';
import type { CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { Engine } from '../engine.js';
import type { SentHeld, TakenBack } from './command-results.js';

/** Never both taken back and read. */
export async function takeBack(
  engine: Engine,
  { input, agent: id = MAIN_AGENT }: CommandOf<'take-back'>,
): Promise<TakenBack> {
  const isThere = engine.isStarted || engine.isResumed;
  if (isThere) await engine.opened();
  const agent = engine.runtime.agents.get(id);
  if (agent === undefined) return { ok: false, reason: `agent ${id} is not running` };
  const taken = await agent.inbox.takeBack(input);
  return taken.ok ? { ok: true, content: typedBlocks(taken.blocks) } : taken;
}

/** Without what was attached to the prompt: a skill's text, files. */
function typedBlocks(blocks: readonly FrozenBlock[]): UserBlock[] {
  return blocks
    .map((block) => parseBlock(block) as UserBlock)
    .filter((block) => block.type !== 'text' || !block.text.startsWith('<system-reminder>'));
}

export async function sendHeld(engine: Engine): Promise<SentHeld> {
  const isThere = engine.isStarted || engine.isResumed;
  const main = isThere ? await engine.opened() : undefined;
  if (main?.inbox.holds() !== true) return { ok: false, reason: 'no message is held' };
  const { driver } = engine;
  if (driver.working === undefined) await engine.refresh(main);
  const sent = await driver.release(main);
  driver.wake();
  return { ok: true, sent };
}
