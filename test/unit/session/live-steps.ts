/** Steps of sessions made up at random, for `LiveModel`. */

import fc from '../../support/fast-check.js';
import type { CallStep, Step } from './live-model.js';

const callStep: fc.Arbitrary<CallStep> = fc.record({
  effects: fc.boolean(),
  order: fc.nat(100),
  input: fc.constantFrom('{}', '{"10":1,"2":2.50}', '{ "a" : 1e3 }', '{"command":"\\u00e9\\"]}"}'),
});
const words = fc.constantFrom('', 'ok', 'zwei\nZeilen', '😀');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('prompt' as const), words: fc.constantFrom('go', 'more') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('notice' as const), run: fc.nat(50) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      calls: fc.array(callStep, { maxLength: 5 }),
      thinks: fc.boolean(),
      words,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interrupted' as const), words: fc.constant('I was about') }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'compact' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'drop-thinking' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'replace-last' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'withdraw' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), to: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('todos' as const), count: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('mode' as const),
      mode: fc.constantFrom('default' as const, 'plan' as const, 'acceptEdits' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('child-run' as const),
      run: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom('running' as const, 'interrupted' as const, 'completed' as const, 'stopped' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'end' }) },
);
export const steps = fc.array(step, { minLength: 1, maxLength: 14 });
