/** `coppice mcp approve`: shows servers of a project and approves them in their current form (MC-2, MC-11). Starts none. */

import { isServerApprovable, serverApproval } from '../../../config/approvals/project-servers.js';
import { findUnapprovedServers, type UnapprovedServer } from '../../../config/mcp/find-unapproved-servers.js';
import { judgeServers } from '../../../config/mcp/judge-servers.js';
import { maskServer } from '../../../config/mcp/mask-server.js';
import type { ServersQuery } from '../../../config/mcp/read-servers.js';
import { openTrust } from '../../../config/trust.js';
import { showServers } from '../../view/describe/describe-servers.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT } from '../exit-code.js';
import { definitionsIn, inFolder } from './folder-servers.js';

type ApproveFlags = { readonly json?: boolean; readonly all?: boolean };

const NOT_TRUSTED = 'This folder is not trusted. Its servers start after `coppice trust`.';

export function runMcpApprove(names: readonly string[], { json = false, all = false }: ApproveFlags): Promise<number> {
  return inFolder(async (query) => {
    const waiting = await findUnapprovedServers(query, await definitionsIn(query));
    const missing = await explainMissing(query, waiting, names);
    if (missing !== undefined) return fail(missing, { json, code: EXIT.usage });
    const selected = all ? waiting : waiting.filter(({ server }) => names.includes(server.name));
    if (selected.length === 0) return showWaiting(query, waiting, json);
    if (!json) print(showServers(selected));
    const approved = selected.filter(({ server }) => isServerApprovable(server));
    const stored = await openTrust(query.host).approve(
      query.approvalsRoot,
      approved.map(({ server }) => serverApproval(server)),
    );
    if (!stored.ok) return fail(stored.reason, { json });
    const code = approved.length === selected.length ? EXIT.done : EXIT.error;
    if (json) return printJson({ ok: code === EXIT.done, approved: approved.map(rowOf), trusted: query.trusted }, code);
    if (!query.trusted) printToStderr([NOT_TRUSTED]);
    print([`Approved as shown: ${approved.map(({ server }) => server.name).join(', ') || 'none'}.`]);
    return code;
  });
}

/** Without a name nothing is approved. */
function showWaiting({ trusted }: ServersQuery, waiting: readonly UnapprovedServer[], json: boolean): number {
  if (json) return printJson({ ok: true, waiting: waiting.map(rowOf), trusted });
  if (!trusted) printToStderr([NOT_TRUSTED]);
  if (waiting.length === 0) return print(['No server of this project is waiting for approval.']);
  print(showServers(waiting));
  printToStderr(['Nothing is approved yet. Run coppice mcp approve with their names, or with --all.']);
  return EXIT.done;
}

/** Explains a name that is not waiting: it is unknown, or needs no approval. */
async function explainMissing(
  query: ServersQuery,
  waiting: readonly UnapprovedServer[],
  names: readonly string[],
): Promise<string | undefined> {
  const missing = names.find((name) => waiting.every(({ server }) => server.name !== name));
  if (missing === undefined) return undefined;
  const { servers } = await judgeServers(query);
  const found = servers.find(({ entry }) => entry.name === missing);
  if (found === undefined) return `no MCP server ${missing} here; coppice mcp list shows all servers`;
  return found.may ? `${missing} may already run` : `${missing} is not waiting for approval: ${found.skipped.reason}`;
}

function rowOf({ server }: UnapprovedServer) {
  const { name, file, agent, variables, files } = server;
  return { name, file, ...(agent === undefined ? {} : { agent }), variables, files, entry: maskServer(server.raw) };
}
