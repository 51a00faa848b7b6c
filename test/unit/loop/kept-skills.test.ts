/** The texts of skills that a compacted conversation keeps. */

import { describe, expect, it } from 'vitest';
import { keptSkills } from '../../../src/loop/compact/kept-skills.js';
import { text } from '../../../src/protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';
import { skillReminder } from '../../../src/protocol/tags.js';

const frozen = (words: string) => freezeBlock(text(words));
const skill = (name: string, body: string) => frozen(skillReminder(name, body));
const of = (...blocks: FrozenBlock[]) => History.of(blocks.map((block) => ({ role: 'user', blocks: [block] })));
const words = (blocks: readonly FrozenBlock[]) =>
  blocks.map((block) => {
    const parsed = parseBlock(block);
    return parsed.type === 'text' ? parsed.text : '';
  });

/** The words around a body in a block of a skill with a name of one letter. */
const AROUND = 80;

describe('EX-14: skill texts in a compacted conversation', () => {
  it('EX-14: the latest text of each, in the order in which they were last loaded; nothing else', () => {
    const history = of(
      frozen('hello'),
      skill('a', 'A1'),
      skill('b', 'B'),
      skill('a', 'A2'),
      frozen(`I quote: ${skillReminder('c', 'C')}`),
    );
    expect(words(keptSkills(history, []))).toEqual([
      '<system-reminder>\nTaken up, to be followed now: the skill b\n\nB\n</system-reminder>',
      '<system-reminder>\nTaken up, to be followed now: the skill a\n\nA2\n</system-reminder>',
    ]);
  });

  it('EX-14: texts that stay in the conversation anyway are not repeated', () => {
    const kept = skill('a', 'A');
    expect(keptSkills(of(kept, skill('b', 'B')), [kept])).toHaveLength(1);
  });

  it('EX-14: of one, 20,000 characters, cut as a whole reminder without half a character', () => {
    const whole = skill('a', 'x'.repeat(20_000 - AROUND));
    const [same = ''] = words(keptSkills(of(whole), []));
    expect(same).toHaveLength(20_000);
    expect(same).not.toContain('[cut after');
    const [cut = ''] = words(keptSkills(of(skill('a', 'x'.repeat(20_001 - AROUND))), []));
    expect(cut).toContain('\n[cut after 20000 characters: take the skill up again for the rest]\n</system-reminder>');
    expect(cut.split('<system-reminder>')).toHaveLength(2);
    const long = words(keptSkills(of(skill('a', `${'y'.repeat(1)}${'😀'.repeat(20_000)}`)), [])).join();
    expect(long.isWellFormed()).toBe(true);
    const even = words(keptSkills(of(skill('a', '😀'.repeat(20_000))), [])).join();
    expect(even.isWellFormed()).toBe(true);
    // The head and 20,000 characters in all, without the opening tag.
    expect(long.split('\n[cut')[0]?.replace('<system-reminder>\n', '')).toHaveLength(20_000);
  });

  it('EX-14: of all, 100,000 characters, the latest first', () => {
    const body = 'x'.repeat(20_000 - AROUND);
    const six = of(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => skill(name, body)));
    const names = words(keptSkills(six, [])).map((block) => /the skill (\w)/.exec(block)?.[1]);
    expect(names).toEqual(['b', 'c', 'd', 'e', 'f']);
    const long = of(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => skill(name, 'x'.repeat(50_000))));
    expect(keptSkills(long, [])).toHaveLength(5);
  });
});
