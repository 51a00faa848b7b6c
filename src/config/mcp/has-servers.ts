/** A cheap check, at every start, whether a session may have MCP servers at all. */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { foldersWithin } from '../find-repo-root.js';
import { claudeStateFile, managedServerFiles } from '../paths.js';
import type { ServersQuery } from './read-servers.js';

type Query = Pick<ServersQuery, 'host' | 'folder' | 'projectRoot' | 'settings'> &
  Partial<Pick<ServersQuery, 'mcpConfig' | 'strict' | 'given' | 'plugins'>>;

/** False only if there are certainly none. Looks for files and parses nothing. */
export async function mayHaveServers(query: Query): Promise<boolean> {
  const { host, settings, mcpConfig = [], given = {} } = query;
  if (mcpConfig.length > 0 || Object.keys(given).length > 0 || settings.mcp.servers.length > 0) return true;
  if (!query.strict && (query.plugins ?? []).some(({ servers }) => servers.length > 0)) return true;
  const folders = foldersWithin(query.projectRoot, query.folder);
  const files = [
    ...managedServerFiles(host.env),
    ...(query.strict ? [] : folders.map((folder) => join(folder, '.mcp.json'))),
  ];
  const found = await Promise.all([
    ...files.map((file) => isThere(host, file)),
    query.strict ? false : stateHasAny(host),
  ]);
  return found.includes(true);
}

async function isThere({ files }: Host, file: string): Promise<boolean> {
  return files.lstat(file).then(
    (stat) => stat !== undefined,
    () => true,
  );
}

const MAX_BYTES = 64 * 1024 * 1024;

/** The other tool writes an empty `mcpServers` for each of its projects, so only one with content is relevant. */
async function stateHasAny(host: Host): Promise<boolean> {
  const found = await readRegularFile(host.files, claudeStateFile(host.env), { most: MAX_BYTES });
  if (found.kind !== 'read') return found.kind === 'refused';
  const { bytes } = found;
  for (let at = bytes.indexOf(KEY); at >= 0; at = bytes.indexOf(KEY, at + KEY.length)) {
    const after = bytes.subarray(at + KEY.length, at + KEY.length + 200).toString('latin1');
    if (!/^\s*:\s*\{\s*\}/.test(after)) return true;
  }
  return false;
}

const KEY = '"mcpServers"';
