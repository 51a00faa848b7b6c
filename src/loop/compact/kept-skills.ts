/** The texts of skills that a compacted conversation keeps: the latest of each, within a limit (EX-14). */

import { text } from '../../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { shortenSkill, skillIn } from '../../protocol/tags.js';

/** Of each and of all, at 4 characters a token. */
const MOST_OF_ONE = 5_000 * 4;
const MOST_OF_ALL = 25_000 * 4;

/** In the order in which they were taken up. `kept`: blocks that stay anyway. */
export function keptSkills(history: HistoryView, kept: readonly FrozenBlock[]): readonly FrozenBlock[] {
  const latest = new Map<string, string>();
  for (let at = 0; at < history.length; at += 1) {
    const message = history.at(at);
    // What a model writes is no text of ours, whatever it looks like.
    for (const frozen of message?.role === 'user' ? message.blocks : []) {
      const words = frozen.type === 'text' && !kept.includes(frozen) ? wordsOf(frozen) : '';
      const name = skillIn(words);
      if (name === undefined) continue;
      latest.delete(name);
      latest.set(name, words);
    }
  }
  const chosen: string[] = [];
  let room = MOST_OF_ALL;
  for (const words of [...latest.values()].reverse()) {
    // What says that it was cut is not counted: five long ones have room.
    const length = Math.min(words.length, MOST_OF_ONE);
    if (length > room) break;
    room -= length;
    chosen.unshift(shorten(words));
  }
  return chosen.map((words) => freezeBlock(text(words)));
}

function wordsOf(frozen: FrozenBlock): string {
  const block = parseBlock(frozen);
  return block.type === 'text' ? block.text : '';
}

/** It stays what it is: our own text, whose imitations are marked. */
function shorten(words: string): string {
  if (words.length <= MOST_OF_ONE) return words;
  const note = `[cut after ${MOST_OF_ONE} characters: take the skill up again for the rest]`;
  return shortenSkill(words, MOST_OF_ONE, note);
}
