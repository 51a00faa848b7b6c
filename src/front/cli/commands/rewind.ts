/** `coppice --resume ID --rewind-to N` without a prompt: rewinds and reports; no model is called. */

import { coppiceHome, projectKey, sessionLayout } from '../../../config/paths.js';
import { findSession } from '../../../engine/open/find-session.js';
import { loadSession } from '../../../engine/open/load-session.js';
import { type FoundFolder, findFolder, findRoots, readConfig } from '../../../engine/open/read-config.js';
import { Resources } from '../../../engine/resources.js';
import type { OpenFailure, SessionOptions } from '../../../engine/session-options.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';

export async function runRewind(flags: Flags): Promise<number> {
  const done = await rewind(flags);
  if ('ok' in done) return explainOpenFailure(done);
  process.stdout.write(`${done.map(stripControls).join('\n')}\n`);
  return EXIT.done;
}

async function rewind(flags: Flags): Promise<readonly string[] | OpenFailure> {
  const options = optionsFromFlags(flags);
  if (options.branch) {
    return { ok: false, kind: 'usage', reason: '--rewind-to with --branch needs a prompt: what to continue with' };
  }
  const resources = new Resources();
  try {
    const at = await locate(options, resources);
    if (!at.ok) return at;
    const found = await findSession(at.host, at.folder, options.resume ?? 'latest');
    if (!found.ok) return found;
    const layout = sessionLayout(coppiceHome(at.host.env), projectKey(at.folder), found.id);
    const config = await readConfig(options, at.host, at.repoRoot ?? at.folder, at.folder);
    if (!config.ok) return config;
    const folders = await findRoots(at.host, at.folder, config.settings);
    if (!folders.ok) return folders;
    const { roots } = folders;
    const read = await loadSession(
      at.host,
      { layout, roots },
      resources,
      options.rewind === undefined ? {} : { rewind: options.rewind },
    );
    return read.ok ? read.loaded.notes : read;
  } finally {
    await resources.close();
  }
}

/** Finds the folder of the session: this one, or a worktree. */
async function locate(options: SessionOptions, resources: Resources): Promise<FoundFolder> {
  const asked = await findFolder(options);
  if (!asked.ok || options.worktree === undefined) return asked;
  const { enterWorktree } = await import('../../../engine/open/enter-worktree.js');
  const entered = await enterWorktree(options, asked, resources);
  return entered.ok ? entered.found : entered;
}
