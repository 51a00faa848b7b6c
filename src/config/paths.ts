/** Builds the paths of all our files. Pure: other rooms read and write them. */

import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../host/host.js';

const SLUG_LENGTH = 60;
const HASH_LENGTH = 12;

/**
 * The reason why our folders can't be determined, with what to set. Check it before anything is created or read: with a
 * relative home, the project's settings would be treated as yours. If it returns a reason, `userHome` and `coppiceHome`
 * throw.
 */
export function refuseHome(env: Environment): string | undefined {
  const own = set(env.COPPICE_HOME);
  if (own !== undefined && !isAbsolute(own)) {
    return `COPPICE_HOME is ${JSON.stringify(own)}: set it to an absolute path, or unset it for ~/.coppice`;
  }
  if (findPersonHome(env) !== undefined) return undefined;
  const now = env.HOME === undefined ? 'not set, and this user has no home folder' : JSON.stringify(env.HOME);
  return `HOME is ${now}: set it to the absolute path of your home folder`;
}

/** The user's home folder: absolute. */
export function userHome(env: Environment): string {
  const home = findPersonHome(env);
  if (home === undefined) throw new Error(refuseHome(env));
  return home;
}

/** The folder for our own state (sessions, trust). Absolute, so that it is never inside a repository by accident. */
export function coppiceHome(env: Environment): string {
  const own = set(env.COPPICE_HOME);
  if (own === undefined) return join(userHome(env), '.coppice');
  if (!isAbsolute(own)) throw new Error(refuseHome(env));
  return resolve(own);
}

function findPersonHome(env: Environment): string | undefined {
  if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // The user is not in the system's user database.
    return undefined;
  }
}

/** The folder for the user's settings, agents and instructions, for all projects. */
export function configDir(env: Environment): string {
  return fromEnv(env, 'COPPICE_CONFIG_DIR') ?? join(userHome(env), '.claude');
}

/** Folders that decide what runs or is allowed later: our own, and those on the PATH. */
export function guardedFolders(env: Environment): { readonly own: string[]; readonly programs: string[] } {
  const programs = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return { own: [coppiceHome(env), configDir(env)], programs: [...new Set(programs.map((folder) => resolve(folder)))] };
}

/** The administrator's settings. The environment belongs to the user, so it may override the path. */
export function managedSettingsFile(env: Environment): string {
  return fromEnv(env, 'COPPICE_MANAGED_SETTINGS') ?? '/etc/coppice/managed-settings.json';
}

/** The administrator's folder, with `skills`, `commands` and the like in it. */
export function managedFolder(env: Environment): string {
  return dirname(managedSettingsFile(env));
}

/** The administrator's MCP servers, strongest first. If the path of managed settings is overridden, next to those. */
export function managedServerFiles(env: Environment): readonly string[] {
  const settings = fromEnv(env, 'COPPICE_MANAGED_SETTINGS');
  if (settings !== undefined) return [join(dirname(settings), 'managed-mcp.json')];
  return ['/etc/coppice/managed-mcp.json', '/etc/claude-code/managed-mcp.json'];
}

/** The file in which another tool stores your servers. Read only. */
export function claudeStateFile(env: Environment): string {
  const moved = fromEnv(env, 'COPPICE_CONFIG_DIR');
  return join(moved ?? userHome(env), '.claude.json');
}

export function userSettingsFile(env: Environment): string {
  return join(configDir(env), 'settings.json');
}

export function projectSettingsFile(projectRoot: string): string {
  return join(projectRoot, '.claude', 'settings.json');
}

export function localSettingsFile(projectRoot: string): string {
  return join(projectRoot, '.claude', 'settings.local.json');
}

/** Records of running MCP servers, so that they can be found after a crash. */
export function runningServers(home: string): string {
  return join(home, 'mcp', 'running');
}

/** Homes of sessions that are not saved. */
export function ephemeralSessions(home: string): string {
  return join(home, 'unkept');
}

export function trustFile(home: string): string {
  return join(home, 'trust.json');
}

/**
 * The name of a project's folder in our home: readable, and unique for each path. `realPath` must have its links
 * resolved.
 */
export function projectKey(realPath: string): string {
  const readable = realPath.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const slug = readable.slice(-SLUG_LENGTH).replace(/^-/, '') || 'root';
  return `${slug}-${createHash('sha256').update(realPath).digest('hex').slice(0, HASH_LENGTH)}`;
}

export function projectFolder(home: string, key: string): string {
  return join(home, 'projects', key);
}

/** The stored sign-in for the MCP server at `url`, which must be normalised. */
export function signInFile(home: string, url: string): string {
  return join(home, 'mcp', 'sign-ins', `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
}

export type SessionLayout = {
  /** The main agent's transcript. */
  readonly file: string;
  /** Everything else of the session. */
  readonly folder: string;
  readonly prefixes: string;
  readonly toolResults: string;
  readonly tasks: string;
  readonly subagents: string;
  /** The state up to a record of the transcript; derived from it. */
  readonly checkpoint: string;
  /** The plan of plan mode. */
  readonly plan: string;
  /** The name that users gave it. */
  readonly name: string;
  /** The content of files before tools changed them. */
  readonly files: string;
  keptFile(sha256: string): string;
  prefixFile(sha256: string): string;
  taskOutput(taskId: string): string;
  agentFile(agentId: string): string;
};

export function sessionLayout(home: string, key: string, sessionId: string): SessionLayout {
  const project = projectFolder(home, key);
  const folder = join(project, checked(sessionId));
  return {
    file: `${folder}.jsonl`,
    folder,
    prefixes: join(folder, 'prefixes'),
    toolResults: join(folder, 'tool-results'),
    tasks: join(folder, 'tasks'),
    subagents: join(folder, 'subagents'),
    checkpoint: join(folder, 'checkpoint'),
    plan: join(folder, 'plan.md'),
    name: join(folder, 'name'),
    files: join(folder, 'files'),
    keptFile: (sha256) => join(folder, 'files', checked(sha256)),
    prefixFile: (sha256) => join(folder, 'prefixes', `${checked(sha256)}.json`),
    taskOutput: (taskId) => join(folder, 'tasks', `${checked(taskId)}.output`),
    agentFile: (agentId) => join(folder, 'subagents', `agent-${checked(agentId)}.jsonl`),
  };
}

/**
 * True if an id may be part of a path. Check ids from outside before passing them to `sessionLayout`. An id that ends in
 * `.1` is refused, because it would look like a segment of another transcript.
 */
export function isFileName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id) && !/\.\d+$/.test(id);
}

function checked(id: string): string {
  if (!isFileName(id)) throw new RangeError(`not a valid file name: ${JSON.stringify(id.slice(0, 80))}`);
  return id;
}

function fromEnv(env: Environment, name: string): string | undefined {
  const value = set(env[name]);
  return value === undefined ? undefined : resolve(value);
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** Resolves a path that a user wrote: relative to `base`, or with `~` for the home folder. */
export function absolutePath(path: string, base: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(base, path);
}
