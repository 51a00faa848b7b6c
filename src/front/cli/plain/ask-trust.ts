/** Asks whether to trust a folder, once, when it is first opened and has files that would take effect (GT-2). */

import { findRepoRoot } from '../../../config/find-repo-root.js';
import { openTrust } from '../../../config/trust.js';
import type { Host } from '../../../host/host.js';
import { makeVisibleLine as visible } from '../../../protocol/make-visible.js';
import type { Paint } from '../../view/paint.js';
import type { Flags } from '../flags.js';
import { findActingFiles } from './acting-files.js';
import type { LineInput } from './line-input.js';
import type { Screen } from './screen.js';

const MAX_SHOWN = 12;

export type TrustQuestion = {
  readonly host: Host;
  readonly flags: Flags;
  readonly screen: Screen;
  readonly input: LineInput;
  readonly paint: Paint;
  readonly signal: AbortSignal;
};

export async function askTrust({ host, flags, screen, input, paint, signal }: TrustQuestion): Promise<void> {
  if (flags.trust) return;
  const trust = openTrust(host);
  const folder = await host.files.realpath(host.folder);
  if (await trust.isTrusted(folder)) return;
  const projectRoot = (await findRepoRoot(host, folder)) ?? folder;
  const acting = await findActingFiles({
    host,
    folder,
    projectRoot,
    ...(flags.settingSources ? { sources: flags.settingSources } : {}),
  });
  if (acting.length === 0) return;

  screen.line(paint.bold('Do you trust this folder?'));
  screen.line(`  ${visible(projectRoot)}`);
  screen.line('If you trust it, these files can run commands or grant permissions:');
  for (const { file, does } of acting) {
    screen.line(`  ${visible(file)}`);
    for (const one of does.slice(0, MAX_SHOWN)) screen.line(`    | ${visible(one)}`);
    if (does.length > MAX_SHOWN) screen.line(`    … ${does.length - MAX_SHOWN} more; read the file`);
  }
  for (;;) {
    screen.line('  y  yes, from now on\n  n  no: continue without them');
    const line = (await input.read({ prompt: '? ', question: true, signal }))?.trim().toLowerCase();
    if (line === undefined || line === 'n' || line === 'no') return;
    if (line === 'y' || line === 'yes') break;
    screen.line('That is not one of the choices.');
  }
  let stored = await trust.trust(projectRoot);
  // A root that covers only itself (the home folder) does not cover the current folder: trust that one by name.
  if (stored.ok && !(await trust.isTrusted(folder))) stored = await trust.trust(folder);
  if (!stored.ok)
    screen.line(paint.bad(`! the answer could not be saved, so the folder stays untrusted: ${stored.reason}`));
}
