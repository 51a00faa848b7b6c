/** Everyday commands that change something, run something or look elsewhere: each is asked about, box or not (GT-6). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../../support/read-lines.js';
import { makePlayground, type Playground } from '../permissions/playground.js';
import { makeRepository } from './repository.js';

const COMMANDS = readLines(new URL('changing.txt', import.meta.url));
/** In the box these can do no harm; without one they ask. */
const CONTAINED = readLines(new URL('contained.txt', import.meta.url));
const BOX = { deniedInGit: false, gitIsWhole: true };

let place: Playground;

beforeAll(async () => {
  place = await makePlayground();
  await makeRepository(place.root, place.home);
});
afterAll(() => place.remove());

describe('everyday commands that change something', () => {
  it.each(COMMANDS)('GT-6, GT-24: asks: %s', (command) => {
    expect(place.bash(command)).toMatchObject({ behavior: 'ask' });
    expect(place.bash(command, { box: BOX })).toMatchObject({ behavior: 'ask' });
  });

  it.each(CONTAINED)('GT-6: asks where there is no box: %s', (command) => {
    expect(place.bash(command)).toMatchObject({ behavior: 'ask' });
  });

  it.each(COMMANDS)('AG-8, GT-5: never runs in a read-only agent, whatever is allowed: %s', (command) => {
    for (const box of [{}, { box: BOX }]) {
      const everything = { mode: 'bypassPermissions' as const, allow: ['Bash', 'Edit'] };
      expect(place.bash(command, { ...box, readOnlyOnly: true, ...everything }).behavior).not.toBe('allow');
    }
  });
});
