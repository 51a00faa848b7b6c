/** Model data from settings, in the shape the model room takes it. */

import type { Settings } from '../config/settings/settings-schema.js';
import type { ModelOverrides } from '../model/models.js';

export function modelOverrides(setting: Settings['models']): ModelOverrides {
  const aliases: Record<string, string> = {};
  const models: Record<string, NonNullable<ModelOverrides['models']>[string]> = {};
  for (const [id, { aliases: names = [], prices, ...facts }] of Object.entries(setting ?? {})) {
    for (const name of names) aliases[name.toLowerCase()] = id;
    models[id] = { ...known(facts), ...(prices ? { prices: allPrices(prices) } : {}) };
  }
  return { aliases, models };
}

function known(facts: Record<string, unknown>): Record<string, unknown> {
  const names = ['context', 'maxOutput', 'cacheMinimum', 'keepsThinking'];
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

type GivenPrices = NonNullable<NonNullable<Settings['models']>[string]['prices']>;

/** What is not said follows from the base price, as the API's own list does. */
function allPrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: GivenPrices) {
  return {
    input,
    output,
    cacheRead: cacheRead ?? input / 10,
    cacheWrite5m: cacheWrite5m ?? input * 1.25,
    cacheWrite1h: cacheWrite1h ?? input * 2,
  };
}
