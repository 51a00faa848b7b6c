/** Reads your servers and choices that another tool stores in `~/.claude.json` (MC-8, MC-11). Never writes it. */

import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { isObject, objectOf } from '../../protocol/json/json-values.js';
import { claudeStateFile } from '../paths.js';
import type { NamedValue } from './read-server-file.js';

export type ClaudeState = {
  readonly file: string;
  readonly user: readonly NamedValue[];
  /** Of the given folders, nearest first. */
  readonly local: readonly NamedValue[];
  /** Servers from any file that you turned off here. */
  readonly off: ReadonlySet<string>;
  /** Servers of `.mcp.json` that you rejected here. */
  readonly rejected: ReadonlySet<string>;
  readonly warnings: readonly string[];
};

/** It also contains that tool's history, so it may be large. */
const MAX_BYTES = 64 * 1024 * 1024;

/** `folders`: the launch folder, then the parent folders whose entries apply. */
export async function readClaudeState(host: Host, folders: readonly string[]): Promise<ClaudeState> {
  const file = claudeStateFile(host.env);
  const found = await readRegularFile(host.files, file, { most: MAX_BYTES });
  if (found.kind === 'absent') return nothing(file);
  if (found.kind === 'refused') return nothing(file, `cannot read the file: ${found.reason}`);
  try {
    const value: unknown = JSON.parse(found.bytes.toString('utf8').replace(/^\uFEFF/, ''));
    return isObject(value) ? stateIn(file, value, folders) : nothing(file, 'it is not a JSON object');
  } catch {
    return nothing(file, 'it is not valid JSON');
  }
}

function stateIn(file: string, value: Readonly<Record<string, unknown>>, folders: readonly string[]): ClaudeState {
  const projects = objectOf(value.projects);
  const here = [...new Set(folders)].flatMap((folder) => {
    const project = Object.hasOwn(projects, folder) ? projects[folder] : undefined;
    return isObject(project) ? [project] : [];
  });
  const names = (key: string) =>
    new Set(
      here.flatMap((project) => {
        const list = project[key];
        return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
      }),
    );
  return {
    file,
    user: entriesIn(value.mcpServers),
    local: here.flatMap((project) => entriesIn(project.mcpServers)),
    off: names('disabledMcpServers'),
    rejected: names('disabledMcpjsonServers'),
    warnings: [],
  };
}

function entriesIn(servers: unknown): readonly NamedValue[] {
  return isObject(servers) ? Object.entries(servers) : [];
}

function nothing(file: string, problem?: string): ClaudeState {
  const warnings = problem === undefined ? [] : [`${file}: ${problem}; its MCP servers are ignored`];
  return { file, user: [], local: [], off: new Set(), rejected: new Set(), warnings };
}
