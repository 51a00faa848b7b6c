/**
 * Forks that start cold. A fork is cheap because its first request reads what its parent has in the API's cache; one
 * that reads less than nine tenths of it pays for the conversation again, and the person is told, with the reason.
 */

import type { ModelData } from '../../model/models.js';
import type { AgentEvent, LiveEvent, SharedBytes } from '../../protocol/events.js';
import type { Listener } from '../../session/emit.js';

export type ExpectedStart = {
  /** Tokens its parent had in the cache when it forked. */
  readonly cached: number;
  readonly model: Pick<ModelData, 'id' | 'keepsThinking'>;
  readonly description: string;
  readonly warn: (warning: Extract<LiveEvent, { kind: 'line-shown' }>) => void;
};

const WARM_SHARE = 0.9;

/** One watcher for all forks of a session: each is looked at once, when its first reply is there. */
export class ColdStarts {
  readonly #expected = new Map<string, ExpectedStart>();

  readonly watch: Listener = ({ agent, event }) => {
    const expected = this.#expected.get(agent);
    if (expected === undefined || !endsStart(event)) return;
    this.#expected.delete(agent);
    if (event.kind !== 'assistant-replied') return;
    const line = coldStartLine(expected, event.usage.cacheRead, event.shared);
    if (line !== undefined) expected.warn({ kind: 'line-shown', level: 'warning', line });
  };

  expect(agent: string, start: ExpectedStart): void {
    this.#expected.set(agent, start);
  }
}

function endsStart(event: AgentEvent): boolean {
  return event.kind === 'assistant-replied' || event.kind === 'run-ended';
}

export function coldStartLine(
  { cached, model, description }: Omit<ExpectedStart, 'warn'>,
  read: number,
  shared: SharedBytes | undefined,
): string | undefined {
  if (cached === 0 || read >= cached * WARM_SHARE) return undefined;
  const percent = Math.floor((100 * read) / cached);
  const figures = `it read ${read} of the ${cached} tokens its parent had cached (${percent} %)`;
  return `the fork "${description}" started cold: ${figures}; ${reasonOf(model, shared)}`;
}

function reasonOf(model: ExpectedStart['model'], shared: SharedBytes | undefined): string {
  if (shared?.difference !== undefined) return `the first difference: ${shared.difference}`;
  if (!model.keepsThinking) {
    return `${model.id} drops earlier thinking when text follows tool results (keepsThinking is false), so that what it sees is not what its parent saw`;
  }
  return 'its bytes are those of its parent, so the cache entry was gone: it had expired, or the server had dropped it';
}
