/** What the tests of old-transcripts.test.ts share with those of test:long. */

import { expect } from 'vitest';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../../support/story.js';

import { oldExpectation, placeOldSession } from './old-session.js';

export async function oldStage(env: Record<string, string> = {}): Promise<Stage> {
  const stage = await setStage([
    { when: { said: 'PART TWO', result: { tool: 'Write' } }, reply: [{ thinking: 'The rest.' }, 'Part two is done.'] },
    {
      when: { user: { matches: 'write to (?<name>\\w+)' } },
      reply: [{ tool: 'SendMessage', input: { to: '{{name}}', message: 'And now?' } }],
    },
    { reply: 'Well.' },
  ]);
  Object.assign(stage.env, env);
  await placeOldSession(stage);
  return stage;
}

/** Nothing was damaged, set aside, rebuilt or refused. */
export function expectNothingLost(stage: Stage): void {
  expectAllAccepted(stage.sim);
  const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
  expect(lines.filter((line) => /damaged|set aside|rebuilt|unfinished|could not|cache will miss/.test(line))).toEqual(
    [],
  );
}

/** The old program has played the same story. */
export async function expectAsBefore(name: string, actual: unknown): Promise<void> {
  expect(actual).toEqual(await oldExpectation(name));
}
