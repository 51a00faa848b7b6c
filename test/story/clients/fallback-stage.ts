/** A session whose model is overloaded for a while, with another to fall back to. */

import { expect } from 'vitest';
import type { Rule, Sim, SimRequest } from '../../../src/sim/index.js';
import { faultLines, type Stage } from '../../support/story.js';

export const OWN = { model: 'sonnet', fallbackModel: 'haiku' } as const;
export const BUSY = { kind: 'overloaded', retryAfter: 0 } as const;

/** The own model is overloaded while the last words are these. */
export const busyAt = (words: string, times?: number): Rule => ({
  when: { model: 'sonnet', user: words },
  fault: BUSY,
  ...(times === undefined ? {} : { times }),
});

const familyOf = ({ body }: SimRequest) => /sonnet|haiku|opus/.exec(body.model)?.[0] ?? body.model;

/** `sonnet haiku!`: what was asked, in order; `!` for one that was overloaded. */
export function asked(sim: Sim): string {
  return sim.requests.map((request) => `${familyOf(request)}${request.status === 200 ? '' : '!'}`).join(' ');
}

export const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';

/** What each model thinks names it: no request may carry what another has thought. */
export function expectThinkingApart(sim: Sim): void {
  for (const request of sim.requests) {
    const other = familyOf(request) === 'haiku' ? 'OF-SONNET' : 'OF-HAIKU';
    expect(rawOf(request), sim.report()).not.toContain(other);
  }
}

/** Nothing but overloads was refused. */
export function expectOnlyBusy(sim: Sim): void {
  expect(sim.unmatched, sim.report()).toEqual([]);
  const refused = sim.requests.filter(({ status }) => status !== undefined && status !== 200 && status !== 529);
  expect(
    refused.map(({ error }) => error),
    sim.report(),
  ).toEqual([]);
}

export const fallenLines = (stage: Stage) =>
  faultLines(stage).filter((line) => line.includes('continuing this turn with'));
