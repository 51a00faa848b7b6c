/** `coppice mcp test`: connects to servers that may run and shows what they offer (MC-8). Others are never contacted. */

import { findServers } from '../../../config/mcp/find-servers.js';
import type { ServersQuery } from '../../../config/mcp/read-servers.js';
import { serverPorts } from '../../../engine/mcp/server-ports.js';
import { newAbort } from '../../../host/clock.js';
import { withEnvironment } from '../../../host/host.js';
import type { ServerReport } from '../../../protocol/mcp/server-report.js';
import { ServerSet } from '../../../tools/mcp/server-set.js';
import { describeServer } from '../../view/describe/describe-server-reports.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT, exitOf } from '../exit-code.js';
import { onSignals } from '../on-signals.js';
import { inFolder } from './folder-servers.js';

type TestFlags = { readonly json?: boolean; readonly trust?: boolean };

/** A connection attempt has its own limits (MCP_TIMEOUT, with retries). */
const LONGEST_MS = 600_000;

export function runMcpTest(name: string | undefined, { json = false, trust = false }: TestFlags): Promise<number> {
  return inFolder(
    async (query) => {
      const { servers, skipped, warnings } = await findServers(query);
      if (!json) printToStderr(warnings);
      const isSelected = (one: { readonly name: string }) => name === undefined || one.name === name;
      const selected = { configured: servers.filter(isSelected), skipped: skipped.filter(isSelected) };
      if (name !== undefined && selected.configured.length + selected.skipped.length === 0) {
        const reason = `no MCP server ${name} here; coppice mcp list shows all servers`;
        return fail(reason, { json, code: EXIT.usage });
      }
      const tested = await test(query, selected);
      if (tested.signal !== undefined) return exitOf(tested.signal);
      const code = tested.reports.every((one) => isFine(one, name)) ? EXIT.done : EXIT.error;
      if (json) return printJson({ servers: tested.reports }, code);
      if (tested.reports.length === 0) printToStderr(['No MCP servers. Add one: coppice mcp add NAME -- COMMAND']);
      print(tested.reports.flatMap(describe));
      return code;
    },
    { trust },
  );
}

/** Without a name, servers that the user turned off are not failures. */
function isFine({ status }: ServerReport, name: string | undefined): boolean {
  if (status === 'connected') return true;
  return name === undefined && (status === 'off' || status === 'not-approved' || status === 'blocked');
}

async function test(
  query: ServersQuery,
  selected: Pick<ConstructorParameters<typeof ServerSet>[0], 'configured' | 'skipped'>,
) {
  const { folder } = query;
  const host = withEnvironment(query.host, query.ownEnv ?? query.host.env);
  const ports = serverPorts({
    host,
    question: query,
    roots: () => [folder],
    elicit: async () => ({ action: 'decline' }),
    // The report contains the failure.
    warn: () => {},
  });
  const set = new ServerSet({ ...selected, ports, host, searchAboveTokens: undefined });
  const stop = newAbort();
  const signals = onSignals(() => stop.abort());
  try {
    await set.settled(LONGEST_MS, stop.signal);
    printToStderr(set.dropped());
    return { reports: set.reports(), signal: signals.received() };
  } finally {
    await set.close();
    signals.stop();
  }
}

function describe(report: ServerReport): readonly string[] {
  return [...describeServer(report), ...report.tools.map((tool) => `  ${tool}`)];
}
