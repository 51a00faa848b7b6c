/** `coppice mcp list` and `get`: lists servers with their source, and whether they may run (MC-8). Starts none. */

import { type JudgedServer, judgeServers } from '../../../config/mcp/judge-servers.js';
import { maskServer } from '../../../config/mcp/mask-server.js';
import type { ServersQuery } from '../../../config/mcp/read-servers.js';
import { describeUnusedKeys } from '../../../config/mcp/unused-keys.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT } from '../exit-code.js';
import { inFolder } from './folder-servers.js';

type ListFlags = { readonly json?: boolean };

type ServerRow = {
  readonly name: string;
  readonly scope: string;
  readonly file: string;
  readonly transport: string;
  readonly status: 'ready' | 'off' | 'not-approved' | 'blocked' | 'skipped';
  readonly reason?: string;
  readonly warnings: readonly string[];
  /** As written, without secrets. */
  readonly entry: unknown;
};

export function runMcpList({ json = false }: ListFlags): Promise<number> {
  return inFolder(async (query) => {
    const { rows, warnings } = await rowsOf(query);
    if (json) return printJson({ servers: rows, warnings });
    printToStderr(warnings);
    if (rows.length === 0) printToStderr(['No MCP servers. Add one: coppice mcp add NAME -- COMMAND']);
    return print(rows.flatMap(describeRow));
  });
}

export function runMcpGet(name: string, { json = false }: ListFlags): Promise<number> {
  return inFolder(async (query) => {
    const { rows, warnings } = await rowsOf(query);
    const row = rows.find((one) => one.name === name);
    if (row === undefined) {
      if (!json) printToStderr(warnings);
      return fail(`no MCP server ${name} here; coppice mcp list shows all servers`, {
        json,
        code: EXIT.usage,
      });
    }
    if (json) return printJson(row);
    const entry = JSON.stringify(row.entry, null, 2).split('\n');
    return print([...describeRow(row), ...entry.map((line) => `  ${visible(line)}`)]);
  });
}

async function rowsOf(query: ServersQuery) {
  const { servers, warnings } = await judgeServers(query);
  return { rows: servers.map(rowOf), warnings };
}

function rowOf(judged: JudgedServer): ServerRow {
  const { entry } = judged;
  const warnings = [...judged.warnings, ...describeUnusedKeys(entry.raw)];
  const shown = { entry: maskServer(entry.raw), warnings, scope: entry.origin.scope, file: entry.origin.file };
  if (judged.may) return { name: entry.name, transport: judged.server.config.kind, status: 'ready', ...shown };
  const { name, transport, status, reason } = judged.skipped;
  return { name, transport, status, reason, ...shown };
}

const STATUS_TEXTS: Readonly<Record<ServerRow['status'], string>> = {
  ready: 'may run',
  off: 'off',
  'not-approved': 'not approved',
  blocked: 'blocked',
  skipped: 'not usable',
};

function describeRow(row: ServerRow): readonly string[] {
  const reason = row.reason === undefined ? '' : `: ${row.reason}`;
  return [
    visible(`${row.name}  ${row.transport}  ${STATUS_TEXTS[row.status]}${reason}`),
    visible(`  ${target(row.entry)}  (${row.scope}: ${row.file})`),
    ...row.warnings.map((line) => visible(`  ! ${line}`)),
  ];
}

const LONGEST = 160;

function target(entry: unknown): string {
  const { command, args, url } = (entry ?? {}) as Record<string, unknown>;
  const parts = typeof url === 'string' ? [url] : [command, ...(Array.isArray(args) ? args : [])];
  const text = parts.filter((word) => typeof word === 'string').join(' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
