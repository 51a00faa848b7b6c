/** Whether a session may have MCP servers at all: cheap, because it is asked at every start. */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { foldersWithin } from '../find-repo-root.js';
import { claudeStateFile, managedServerFiles } from '../paths.js';
import type { ServersQuery } from './read-servers.js';

type Question = Pick<ServersQuery, 'host' | 'folder' | 'projectRoot' | 'settings'> &
  Partial<Pick<ServersQuery, 'mcpConfig' | 'strict' | 'given' | 'plugins'>>;

/** False only if there is none for sure. Looks for files; parses nothing. */
export async function mayHaveServers(q: Question): Promise<boolean> {
  const { host, settings, mcpConfig = [], given = {} } = q;
  if (mcpConfig.length > 0 || Object.keys(given).length > 0 || settings.mcp.servers.length > 0) return true;
  if (!q.strict && (q.plugins ?? []).some(({ servers }) => servers.length > 0)) return true;
  const folders = foldersWithin(q.projectRoot, q.folder);
  const files = [
    ...managedServerFiles(host.env),
    ...(q.strict ? [] : folders.map((folder) => join(folder, '.mcp.json'))),
  ];
  const found = await Promise.all([...files.map((file) => isThere(host, file)), q.strict ? false : stateHasAny(host)]);
  return found.includes(true);
}

async function isThere({ files }: Host, file: string): Promise<boolean> {
  return files.lstat(file).then(
    (stat) => stat !== undefined,
    () => true,
  );
}

const MAX_BYTES = 64 * 1024 * 1024;

/** The other tool writes an empty `mcpServers` for each of its projects: one with something in it counts. */
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
