/** `coppice cache <session>`: what each request shared and read from the cache, and what that saved. */

import { findRepoRoot } from '../../../config/find-repo-root.js';
import { coppiceHome, sessionLayout } from '../../../config/paths.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { openTrust } from '../../../config/trust.js';
import { modelOverrides } from '../../../engine/open/read-config.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { ModelOverrides } from '../../../model/models.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { auditSession } from '../../commands/usage/audit-session.js';
import { describeAudit } from '../../view/describe/describe-audit.js';
import { EXIT } from '../exit-code.js';
import { findSession } from '../find-session.js';

export async function runCache(wanted: string, flags: { readonly json?: boolean }): Promise<number> {
  const machine = nodeHost(process.cwd());
  const host = machine.at(await machine.files.realpath(machine.folder));
  const found = await findSession(host, wanted);
  if (typeof found === 'string') {
    process.stderr.write(`error: ${found}\n`);
    return EXIT.usage;
  }
  const layout = sessionLayout(coppiceHome(host.env), found.project, found.id);
  const { audit, problems } = await auditSession(host, layout, await readModels(host));
  for (const line of problems) process.stderr.write(`${escapeControls(line)}\n`);
  const text = flags.json ? JSON.stringify({ session: found.id, ...audit }, null, 2) : describeAudit(found.id, audit);
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

/** Settings may override prices. */
async function readModels(host: Host): Promise<ModelOverrides> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = await openTrust(host).isTrusted(host.folder);
  const { settings } = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  return modelOverrides(settings.models);
}
