/**
 * Checks that the folder printed by a WorktreeCreate hook is usable: it exists, and is separate from the checkout
 * (WT-11).
 */

import { isAbsolute, sep } from 'node:path';
import { isWithin } from '../../config/path-within.js';
import type { HookVerdict } from '../../gate/hooks/combine.js';
import { findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import type { Result } from '../../protocol/result.js';

type HookPlace = Result<{ readonly path: string }>;

/** `from`: the checkout it must be separate from. */
export async function checkHookFolder(
  { host, trusted }: { readonly host: Host; readonly trusted: boolean },
  printed: string,
  from: string,
): Promise<HookPlace> {
  const not = (why: string) => ({ ok: false as const, reason: `the path it printed, ${printed}, ${why}` });
  if (!isAbsolute(printed)) return not('is not absolute');
  const path = await host.files.realpath(printed).catch(() => undefined);
  const stat = path === undefined ? undefined : await host.files.stat(path).catch(() => undefined);
  if (path === undefined || stat?.kind !== 'folder') return not('is not a folder that exists');
  if (path.split(sep).includes('.git')) return not('is inside a .git folder');
  if (isWithin(path, from)) return not(`is, or holds, the checkout it is to be apart from (${from})`);
  const found = await findCheckout(host, path, { trusted }).catch(() => undefined);
  if (found?.ok && found.checkout.top === from) return not(`is a part of the checkout ${from}`);
  return { ok: true, path };
}

export function explainNoPath({ reason, stop, messages }: HookVerdict): string {
  return reason ?? stop ?? messages.at(-1)?.text ?? 'it printed no path';
}
