/** Stores your approvals: with the project that proposes a plugin, or with the plugin itself. */

import type { Host } from '../../host/host.js';
import { openTrust } from '../trust.js';
import type { UpdateResult } from '../update-json-file.js';
import type { ReviewedPlugin } from './plugin-approval.js';

export async function storePlugins(host: Host, plugins: readonly ReviewedPlugin[]): Promise<UpdateResult> {
  const trust = openTrust(host);
  for (const { approvalsRoot, approval, whyNot } of plugins) {
    if (whyNot !== undefined) continue;
    const stored = await trust.approve(approvalsRoot, [approval]);
    if (!stored.ok) return stored;
  }
  return { ok: true };
}
