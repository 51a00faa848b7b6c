/** `coppice --resume ID --rewind-to N` without a prompt: rewinds and reports; no model is asked. */

import { findSession } from '../../../engine/open/find-session.js';
import { loadSession } from '../../../engine/open/load-session.js';
import { findFolder } from '../../../engine/open/read-config.js';
import { Resources } from '../../../engine/resources.js';
import type { OpenFailure } from '../../../engine/session-options.js';
import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';

export async function runRewind(flags: Flags): Promise<number> {
  const done = await goBack(flags);
  if ('ok' in done) return explainOpenFailure(done);
  process.stdout.write(`${done.map(stripUnsafe).join('\n')}\n`);
  return EXIT.done;
}

async function goBack(flags: Flags): Promise<readonly string[] | OpenFailure> {
  const options = optionsFromFlags(flags);
  if (options.branch) {
    return { ok: false, kind: 'usage', reason: '--rewind-to with --branch needs a prompt: what to continue with' };
  }
  const at = await findFolder(options);
  if (!at.ok) return at;
  const found = await findSession(at.host, at.folder, options.resume ?? 'latest');
  if (!found.ok) return found;
  const resources = new Resources();
  try {
    const read = await loadSession(at.host, at.folder, found.id, resources, options.rewind);
    return read.ok ? read.loaded.told : read;
  } finally {
    await resources.close();
  }
}
