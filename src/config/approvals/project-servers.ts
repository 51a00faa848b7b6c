/** The MCP servers in a project's files, each with everything that its approval is bound to (MC-2, MC-11). */

import { plural } from '../../protocol/format-numbers.js';
import { joinSome } from '../../protocol/text/one-line.js';
import type { ServerConfig, ServerOrigin } from '../mcp/server-config.js';
import { shortPath } from '../path-within.js';
import { shownName } from '../shell-word.js';
import type { Approval, Approvals } from '../trust.js';
import { type LoadedPath, loadedBy, scanLoadedPath } from './loaded-files.js';
import { type FileScan, hashNamedFiles, type NamedCommand, type NamedFiles } from './named-files.js';

export type ProjectServer = {
  readonly name: string;
  readonly origin: ServerOrigin;
  /** Relative to the project, if it is in it. */
  readonly file: string;
  /** The agent whose front matter it is in. */
  readonly agent?: string;
  /** The entry as written. */
  readonly raw: unknown;
  /** Environment variables whose values it receives. */
  readonly variables: readonly string[];
  /** Variables that the project's own settings add to its environment. */
  readonly values: Readonly<Record<string, string>>;
  /** The files of the project that it runs. */
  readonly files: NamedFiles;
  /** The reason why it can't be approved: what it would run can't be shown or determined. */
  readonly whyNot?: string;
};

/** A longer entry can't be approved, because you could not review it. */
const LONGEST = 4_000;

export type ServerToScan = Omit<ProjectServer, 'file' | 'files' | 'whyNot'>;

export async function scanServer(server: ServerToScan, config: ServerConfig, scan: FileScan): Promise<ProjectServer> {
  const isReadable = JSON.stringify([server.name, server.raw]).length <= LONGEST;
  const scanned = isReadable ? await filesOf(config, scan) : TOO_MUCH;
  return { ...server, file: shortPath(scan.projectRoot, server.origin.file), files: {}, ...scanned };
}

const TOO_MUCH = { whyNot: 'its entry is too long to show, or it names too many files: shorten it' };

async function filesOf(config: ServerConfig, scan: FileScan): Promise<Pick<ProjectServer, 'files' | 'whyNot'>> {
  const files: Record<string, string> = {};
  const loaded = loadedIn(config);
  for (const command of commandsIn(config)) {
    const found = await hashNamedFiles(scan, command);
    if (found === undefined) return { files, ...TOO_MUCH };
    Object.assign(files, found);
  }
  for (const one of loaded) {
    const found = await scanLoadedPath(scan, one);
    if (found === undefined)
      return { files, whyNot: `it sets ${one.variable} to ${JSON.stringify(one.path)}: ${OPEN_FOLDER}` };
    Object.assign(files, found);
  }
  return { files };
}

function loadedIn(config: ServerConfig): readonly LoadedPath[] {
  if (config.kind === 'stdio') return loadedBy(config.env, [config.command, ...config.args]);
  return config.kind === 'in-process' ? [] : loadedBy({}, [config.headersHelper ?? '']);
}

const OPEN_FOLDER =
  'the project can change the files there without asking, and they would be run. Use a folder outside the project';

/** Its command, and every value that may contain one: `sh -c "./run.sh"`, `NODE_OPTIONS=--import=./x.mjs`. */
function commandsIn(config: ServerConfig): readonly NamedCommand[] {
  switch (config.kind) {
    case 'stdio': {
      const { command, args, env } = config;
      const inner = [...args, ...Object.values(env)].filter((word) => /[\s=;&|]/.test(word));
      return [{ command, args }, ...inner.map((line) => ({ command: line }))];
    }
    case 'http':
    case 'sse':
      return config.headersHelper === undefined ? [] : [{ command: config.headersHelper }];
    case 'in-process':
      return [];
    default:
      return config satisfies never;
  }
}

/** True if all of it can be shown for approval. */
export function isServerApprovable({ whyNot }: ProjectServer): boolean {
  return whyNot === undefined;
}

export function isServerApproved(server: ProjectServer, approvals: Approvals): boolean {
  return isServerApprovable(server) && approvals.has(serverApproval(server));
}

/** Bound to its content, its location, the project's values of its variables, and the files it runs. */
export function serverApproval(server: ProjectServer): Approval {
  const { file, agent, name, raw, values, files } = server;
  const place = [file, ...(agent === undefined ? [] : [`agent ${agent}`]), name].join(' ');
  const summary = describeEntry(server).join(' · ');
  return { kind: 'mcp', name: place, value: { file, agent, name, raw, values, files }, summary };
}

/** Describes all of it, in lines: everything that is approved is shown. */
export function describeServer(server: ProjectServer): readonly string[] {
  const { name, variables, values, files } = server;
  const names = Object.keys(files);
  const own = Object.entries(values).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [
    shownName(name),
    ...describeEntry(server).map((line) => `  ${line}`),
    ...(variables.length > 0 ? [`  gets the values of ${variables.join(', ')} from your environment`] : []),
    ...(own.length > 0 ? [`  with variables from the project's settings: ${own.join(', ')}`] : []),
    ...(names.length > 0
      ? [`  and the current content of ${names.join(', ')}; what that runs or loads in turn can change`]
      : []),
  ];
}

function describeEntry({ raw }: Pick<ProjectServer, 'raw'>): readonly string[] {
  const { type, command, args, url, headers, headersHelper, env, ...rest } = (raw ?? {}) as Record<string, unknown>;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((one) => one !== undefined);
  return [
    ...(command === undefined ? [] : [`runs ${words.map(quoted).join(' ')}`]),
    ...(url === undefined ? [] : [`connects to ${String(url)}`, `as ${String(type)}`]),
    ...(headers === undefined ? [] : [`sends the headers ${JSON.stringify(headers)}`]),
    ...(headersHelper === undefined ? [] : [`runs ${String(headersHelper)} for more headers`]),
    ...(env === undefined ? [] : [`with the environment ${JSON.stringify(env)}`]),
    ...(Object.keys(rest).length > 0 ? [`with ${JSON.stringify(rest)}`] : []),
  ];
}

/** Quotes a word of a command where its boundaries would be unclear. */
function quoted(word: unknown): string {
  return typeof word === 'string' && /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

/** A message about servers that don't start, with what to do. Undefined if there are none. */
export function describeUnapprovedServers(names: readonly string[], trusted: boolean): string | undefined {
  if (names.length === 0) return undefined;
  const count = plural(names.length, 'MCP server of this project is', 'MCP servers of this project are');
  const first = trusted ? '' : 'This folder is not trusted either (coppice trust). ';
  const it = names.length === 1 ? 'it' : 'them';
  return (
    `${count} not approved, or changed since, so ${it === 'it' ? "it doesn't" : "they don't"} start: ` +
    `${joinSome(names.map(shownName), 5)}. ${first}Start coppice here in a terminal to review ${it}, ` +
    `run coppice mcp approve NAME, or pass --trust to start ${it} this time.`
  );
}
