/** The skill texts that survive compaction: the latest of each skill, within a limit (EX-14). */

import { text } from '../../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { shortenSkill, skillIn } from '../../protocol/tags.js';

/** Limits per skill and in total, at 4 characters per token. */
const MOST_OF_ONE = 5_000 * 4;
const MOST_OF_ALL = 25_000 * 4;

/** Returns skill texts in the order in which they were loaded. `kept`: blocks that stay anyway. */
export function keptSkills(history: HistoryView, kept: readonly FrozenBlock[]): readonly FrozenBlock[] {
  const latest = new Map<string, string>();
  for (let at = 0; at < history.length; at += 1) {
    const message = history.at(at);
    // Ignore the model's own messages: it can imitate a skill text.
    for (const frozen of message?.role === 'user' ? message.blocks : []) {
      const content = frozen.type === 'text' && !kept.includes(frozen) ? textOf(frozen) : '';
      const name = skillIn(content);
      if (name === undefined) continue;
      latest.delete(name);
      latest.set(name, content);
    }
  }
  const chosen: string[] = [];
  let room = MOST_OF_ALL;
  for (const content of [...latest.values()].reverse()) {
    // The truncation note is not included in the size, so that five long skills fit.
    const length = Math.min(content.length, MOST_OF_ONE);
    if (length > room) break;
    room -= length;
    chosen.unshift(shorten(content));
  }
  return chosen.map((content) => freezeBlock(text(content)));
}

function textOf(frozen: FrozenBlock): string {
  const block = parseBlock(frozen);
  return block.type === 'text' ? block.text : '';
}

/** Keeps the block recognisable as generated text, whose imitations are escaped. */
function shorten(content: string): string {
  if (content.length <= MOST_OF_ONE) return content;
  const note = `[cut after ${MOST_OF_ONE} characters: take the skill up again for the rest]`;
  return shortenSkill(content, MOST_OF_ONE, note);
}
