/** `coppice config`: every effective setting with its file. */

import { findRepoRoot } from '../../../config/find-repo-root.js';
import { formatProblem } from '../../../config/problem.js';
import { describeSettings, type SettingRow } from '../../../config/settings/describe-settings.js';
import { readSettings, type SettingsResult } from '../../../config/settings/read-settings.js';
import { openTrust } from '../../../config/trust.js';
import { type Host, withEnvironment } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { EXIT } from '../exit-code.js';
import { findUnapproved } from '../find-hooks.js';

export async function runConfig(flags: { readonly json?: boolean; readonly trust?: boolean }): Promise<number> {
  const host = nodeHost(process.cwd());
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = flags.trust === true || (await openTrust(host).isTrusted(host.folder));
  const result = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  const unapproved =
    trusted && !flags.trust ? await findUnapproved({ host, folder: host.folder, projectRoot }, result) : [];
  const waiting = trusted && !flags.trust ? await waitingServers(host, projectRoot, result) : [];
  const rows = describeSettings(result, unapproved, waiting);
  if (flags.json) {
    const { errors, warnings } = result;
    process.stdout.write(`${JSON.stringify({ trusted, settings: rows, errors, warnings }, null, 2)}\n`);
  } else {
    process.stdout.write(`folder  ${escapeToLine(projectRoot)} (${trusted ? 'trusted' : 'not trusted'})\n`);
    // Unknown names are reported together, in one warning.
    for (const row of rows) if (row.state !== 'unknown') process.stdout.write(`${formatRow(row)}\n`);
    for (const problem of [...result.errors, ...result.warnings]) process.stderr.write(`${formatProblem(problem)}\n`);
  }
  return result.errors.length > 0 ? EXIT.error : EXIT.done;
}

/** Finds servers in the project's settings that wait for approval. */
async function waitingServers(host: Host, projectRoot: string, settings: SettingsResult) {
  const isProjects = ({ scope }: { readonly scope: string }) => scope === 'project' || scope === 'local';
  if (!settings.mcp.servers.some(({ origin }) => isProjects(origin))) return [];
  const { judgeServers } = await import('../../../config/mcp/judge-servers.js');
  const place = { folder: host.folder, projectRoot, approvalsRoot: projectRoot, trusted: true, trustThisRun: false };
  const env = { ...host.env, ...settings.environment };
  return (await judgeServers({ ...place, host: withEnvironment(host, env), settings })).unapproved;
}

function formatRow({ key, value, file, scope, state, note }: SettingRow): string {
  const what = state === 'used' ? value : [value, state, note].filter(Boolean).join(', ');
  return escapeToLine(`${key} = ${what}  (${scope}: ${file})`);
}
