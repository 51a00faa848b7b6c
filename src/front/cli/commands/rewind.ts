/** `coppice --resume ID --rewind-to N` without a prompt: goes back, says what was done, and asks no model anything. */

import { findFolder } from '../../../engine/find-folder.js';
import { findSession, loadResume } from '../../../engine/resume.js';
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
    return { ok: false, kind: 'usage', reason: '--rewind-to with --branch needs a prompt: what to go on with' };
  }
  const place = await findFolder(options);
  if (!place.ok) return place;
  const found = await findSession(place.host, place.folder, options.resume ?? 'latest');
  if (!found.ok) return found;
  const loaded = await loadResume(place.host, place.folder, found.id, options.rewind);
  if (!loaded.ok) return loaded;
  await loaded.resume.lock.release();
  return loaded.resume.told;
}
