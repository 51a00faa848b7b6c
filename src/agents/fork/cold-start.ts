/** Warns, with the reason, when a fork starts cold: when it reads much less than its parent has cached. */

import type { ModelData } from '../../model/models.js';
import type { Listener, LiveEvent, SharedBytes } from '../../protocol/events.js';
import { percent, wholeCount } from '../../protocol/format-numbers.js';
import type { Listeners } from '../../session/emit.js';

export type ExpectedStart = {
  /** Tokens in the parent's cache when it forked. */
  readonly cached: number;
  readonly model: Pick<ModelData, 'id' | 'keepsThinking'>;
  readonly description: string;
  readonly warn: (warning: Extract<LiveEvent, { kind: 'line-shown' }>) => void;
};

const WARM_SHARE = 0.9;

/** Checks a fork once, at its first reply. */
export function warnIfCold(listeners: Listeners, fork: string, expected: ExpectedStart): void {
  const listener: Listener = ({ event }) => {
    unlisten();
    if (event.kind !== 'assistant-replied') return;
    const line = coldStartLine(expected, event.usage.cacheRead, event.shared);
    if (line !== undefined) expected.warn({ kind: 'line-shown', level: 'warning', line });
  };
  const unlisten = listeners.addFor(fork, listener, ['assistant-replied', 'model-fallback', 'run-ended']);
}

export function coldStartLine(
  { cached, model, description }: Omit<ExpectedStart, 'warn'>,
  read: number,
  shared: SharedBytes | undefined,
): string | undefined {
  if (cached === 0 || read >= cached * WARM_SHARE) return undefined;
  const figures = `it read ${wholeCount(read)} of the ${wholeCount(cached)} tokens its parent had cached (${percent(read / cached, 1)})`;
  return `the fork "${description}" started cold: ${figures}; ${coldReason(model, shared)}`;
}

function coldReason(model: ExpectedStart['model'], shared: SharedBytes | undefined): string {
  if (shared === undefined) return 'its parent has switched to another model, effort or tools since its last request';
  if (shared.difference !== undefined) return `the first difference: ${shared.difference}`;
  if (!model.keepsThinking) {
    return `${model.id} drops earlier thinking when text follows tool results (keepsThinking is false), so that what it sees is not what its parent saw`;
  }
  return 'its bytes are those of its parent, so the cache entry was gone: it had expired, or the server had dropped it';
}
