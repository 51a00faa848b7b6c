/** `coppice trust`: trusts the project of the current folder, or stops trusting it (GT-2). */

import { findRepoRoot } from '../../../config/find-repo-root.js';
import { openTrust } from '../../../config/trust.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { EXIT } from '../exit-code.js';

export async function runTrust(flags: { readonly remove?: boolean }): Promise<number> {
  const host = nodeHost(await nodeHost(process.cwd()).files.realpath(process.cwd()));
  const trust = openTrust(host);
  const folder = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const stored = flags.remove ? await trust.distrust(folder) : await trust.trust(folder);
  if (!stored.ok) {
    process.stderr.write(`error: ${escapeToLine(stored.reason)}\n`);
    return EXIT.error;
  }
  const effect = flags.remove
    ? 'is no longer trusted: nothing in it runs automatically'
    : 'is trusted from the next session on. Its hooks, MCP servers and plugins still need your approval';
  process.stdout.write(`${escapeToLine(folder)} ${effect}.\n`);
  return EXIT.done;
}
