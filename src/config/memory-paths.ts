/** The folders of agents' notes. Pure: names only. Access is checked where a path is opened (ME-3). */

import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../host/host.js';
import type { MemoryScope } from '../protocol/agent-spawned.js';
import { configDir, coppiceHome, projectKey } from './paths.js';

const LONGEST_NAME = 80;
const HASH_LENGTH = 8;
/** Device names on some systems, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;
/** A type whose name looks like a hashed one gets a hash too. */
const LOOKS_HASHED = new RegExp(`-[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The folder name for an agent type: `plugin:name` becomes `plugin-name`. If another type would get the same name, or
 * characters were lost, a hash of the type is added, so that no two types share a folder (ME-2). `known`: all types.
 */
export function memoryName(type: string, known: readonly string[]): string {
  const name = plainName(type);
  const isPlain = !LOOKS_HASHED.test(name);
  if (isPlain && name === type) return name;
  const isPlugins = isPlain && name === type.replaceAll(':', '-');
  if (isPlugins && !known.some((other) => other !== type && plainName(other) === name)) return name;
  const hash = createHash('sha256').update(type).digest('hex').slice(0, HASH_LENGTH);
  return `${name}-${hash}`;
}

function plainName(type: string): string {
  const name = type
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, LONGEST_NAME)
    .replace(/^[.-]+|[.-]+$/g, '');
  return name === '' || RESERVED.test(name) ? `agent-${name}`.replace(/-$/, '') : name;
}

/** A folder below an existing one. The names are opened one by one. */
export type MemoryPath = {
  /** May contain links: the user or the project's path chose it. */
  readonly base: string;
  readonly names: readonly string[];
};

export type MemoryRoot = {
  /** The main checkout of the project, also for agents in a worktree (ME-6). Real. */
  readonly root: string;
  readonly env: Environment;
};

export function memoryPath(scope: MemoryScope, name: string, { root, env }: MemoryRoot): MemoryPath {
  switch (scope) {
    case 'user':
      return { base: configDir(env), names: ['agent-memory', name] };
    case 'project':
      return { base: root, names: ['.claude', 'agent-memory', name] };
    case 'local': {
      const remote = remoteMemory(env);
      if (remote === undefined) return { base: root, names: ['.claude', LOCAL, name] };
      return { base: remote, names: ['projects', projectKey(root), LOCAL, name] };
    }
    default:
      return scope satisfies never;
  }
}

const LOCAL = 'agent-memory-local';

/** The snapshot that the team agreed on (ME-4). */
export function snapshotPath(name: string, { root }: Pick<MemoryRoot, 'root'>): MemoryPath {
  return { base: root, names: ['.claude', 'agent-memory-snapshots', name] };
}

/** A mount that stores this machine's memory instead of the checkout (ME-7). */
export function remoteMemory(env: Environment): string | undefined {
  const name = remoteVariable(env);
  return name === undefined ? undefined : env[name];
}

export function refuseRemoteMemory(env: Environment): string | undefined {
  const remote = remoteMemory(env);
  if (remote === undefined || isAbsolute(remote)) return undefined;
  return `${remoteVariable(env)} is ${JSON.stringify(remote)}: set it to the absolute path of the mount, or unset it`;
}

/** The variable that applies. */
export function remoteVariable(env: Environment): string | undefined {
  const names = ['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR'];
  return names.find((name) => (env[name] ?? '').trim() !== '');
}

/** The lock that serialises changes of one memory folder across all processes of this user. */
export function memoryLock(env: Environment, folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 24);
  return join(coppiceHome(env), 'locks', `memory-${hash}.lock`);
}
