/** The search of a session. What makes it is loaded with the first one. */

import type { Runtime } from '../../agents/runtime.js';
import type { ModelProvider } from '../../model/provider.js';
import { once } from '../../protocol/once.js';
import type { SearchWeb } from '../../tools/web/search-port.js';

export function lazyProviderSearch(provider: ModelProvider, runtime: () => Runtime): SearchWeb {
  // Once: it counts the searches of the session.
  const load = once(async () => (await import('./provider-search.js')).createProviderSearch(provider, runtime()));
  return async (question, signal) => (await load())(question, signal);
}
