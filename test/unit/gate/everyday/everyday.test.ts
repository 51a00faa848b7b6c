/** Everyday reading commands in a trusted repository: how many are asked about, and that confined ones answer the same. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/protocol/permission.js';
import { makePlayground, type Playground } from '../permissions/playground.js';
import { READING_COMMANDS } from './reading-commands.js';
import { makeRepository } from './repository.js';

let place: Playground;

beforeAll(async () => {
  place = await makePlayground();
  await makeRepository(place.root, place.home);
});
afterAll(() => place.remove());

const judge = (command: string, confine: boolean): Decision =>
  place.bash(command, confine ? { box: { deniedInGit: false, gitIsWhole: true } } : {});

/** The commands that are asked about, with the reason. */
function findAsked(confine: boolean): string[] {
  return READING_COMMANDS.flatMap(({ command }) => {
    const decision = judge(command, confine);
    return decision.behavior === 'allow' ? [] : [`${command} (${decision.reason})`];
  });
}

function tell(name: string, asked: readonly string[]): void {
  const list = asked.map((line) => `  ${line}\n`).join('');
  process.stdout.write(`\n${name}: ${asked.length} of ${READING_COMMANDS.length} everyday commands asked\n${list}`);
}

describe('everyday reading commands', () => {
  it('GT-24: the list is long enough to mean something', () => {
    expect(READING_COMMANDS.length).toBeGreaterThanOrEqual(400);
    expect(new Set(READING_COMMANDS.map(({ command }) => command)).size).toBe(READING_COMMANDS.length);
  });

  it('GT-23, GT-24: with confinement at most 5 are asked about', () => {
    const asked = findAsked(true);
    tell('with confinement', asked);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(5);
  });

  it('GT-23: with confinement none runs outside, and without it none runs unproven', () => {
    for (const confine of [true, false]) {
      const elsewhere = READING_COMMANDS.flatMap(({ command }) => {
        const decision = judge(command, confine);
        const kind = decision.behavior === 'allow' ? (decision.run?.kind ?? 'free') : 'asked';
        return kind === 'asked' || kind === (confine ? 'reading' : 'proven') ? [] : [`${kind}: ${command}`];
      });
      expect(elsewhere).toEqual([]);
    }
  });

  // Loops, substitutions, `xargs` and other processes are not proven without a sandbox: 69 of 462 ask.
  it('GT-6: without confinement at most one in seven is asked about', () => {
    const asked = findAsked(false);
    tell('without confinement', asked);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(READING_COMMANDS.length / 6.5);
  });

  it('GT-5: what is allowed is allowed in plan mode too', () => {
    for (const confine of [true, false]) {
      for (const { command } of READING_COMMANDS) {
        if (judge(command, confine).behavior !== 'allow') continue;
        const decision = place.bash(command, {
          mode: 'plan',
          ...(confine ? { box: { deniedInGit: false, gitIsWhole: true } } : {}),
        });
        expect(decision, command).toMatchObject({ behavior: 'allow' });
      }
    }
  });
});
