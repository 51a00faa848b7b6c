/** The sandbox as a session holds it: its code is loaded at the first use, not at the start. */

import type { SandboxOptions } from './opened-sandbox.js';
import type { Sandbox } from './sandbox.js';

export function lazySandbox(options: SandboxOptions): Sandbox {
  let loading: Promise<Sandbox> | undefined;
  const load = () => {
    loading ??= import('./create-sandbox.js').then(({ createSandbox }) => createSandbox(options));
    return loading;
  };
  return {
    status: async () => (await load()).status(),
    prepare: async (request) => (await load()).prepare(request),
    confine: async (command, profile, place) => (await load()).confine(command, profile, place),
    close: async () => (await loading)?.close(),
  };
}
