/** Creates the state that the hooks of a session share. */

import type { FoundFetch } from '../../host/network.js';
import { once } from '../../protocol/once.js';
import type { BackgroundHooks } from './handlers/run-async-hook.js';
import { type Handler, identityOf } from './hook-config.js';
import type { HookSetup, HooksOptions } from './hooks-options.js';

export function setUpHooks(options: HooksOptions): HookSetup {
  const { host, ownEnv = host.env } = options;
  const fetches = new Map<string, Promise<FoundFetch>>();
  const over = new Set<string>();
  let background: Promise<BackgroundHooks> | undefined;
  return {
    ...options,
    shell: once(async () => (await import('./run-command-hook.js')).findShell(host)),
    warned: new Set(),
    added: new Map(),
    // A project's settings must not choose the proxy.
    findFetch: (url) => {
      const found = fetches.get(url.origin) ?? host.network.findFetch(url, ownEnv);
      fetches.set(url.origin, found);
      return found;
    },
    hasRun: (handler) => handler.once === true && over.has(keyOf(handler)),
    start: (handler) => {
      if (handler.once === true) over.add(keyOf(handler));
      return () => over.delete(keyOf(handler));
    },
    background: () => {
      background ??= import('./handlers/run-async-hook.js').then((module) => new module.BackgroundHooks());
      return background;
    },
    close: async () => (await background)?.close(),
  };
}

/** Identifies the hook with its location: the same hook in another file is a different one. */
function keyOf(handler: Handler): string {
  const { event, origin, matcher, condition } = handler;
  const names = matcher.kind === 'names' ? [...matcher.names] : matcher;
  return JSON.stringify([event, origin, names, condition, identityOf(handler)]);
}
