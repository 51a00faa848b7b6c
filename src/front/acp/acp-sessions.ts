/** All sessions of one editor: opens, resumes, lists and closes them. */

import { isAbsolute, relative } from 'node:path';
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  RequestError,
} from '@agentclientprotocol/sdk';
import { coppiceHome, projectKey, sessionLayout } from '../../config/paths.js';
import type { OpenFailure, SessionOptions } from '../../engine/session-options.js';
import type { Host } from '../../host/host.js';
import { nodeHost } from '../../host/node-host.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { oneLine } from '../../protocol/text/one-line.js';
import { deleteSession } from '../../session/store/delete-session.js';
import { listSessions, nameSessions } from '../../session/store/list-sessions.js';
import { openSession } from '../sdk/open-session.js';
import { AcpSession } from './acp-session.js';
import { askEditor } from './ask-editor.js';
import type { Editor } from './editor.js';
import { type EditorFiles, withEditorFiles } from './editor-files.js';

export type SessionLocation = {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
};

const PAGE = 50;
/** The longest file whose old content is shown before it is overwritten. */
const MOST_SHOWN = 1_000_000;

export class AcpSessions {
  readonly #editor: Editor;
  /** From the command line, for every session. */
  readonly #options: SessionOptions;
  readonly #open = new Map<string, AcpSession>();
  readonly #opening = new Set<Promise<unknown>>();
  /** By id, so that concurrent requests open a session once. */
  readonly #reopening = new Map<string, Promise<AcpSession>>();
  #isLeft = false;

  constructor(editor: Editor, options: SessionOptions) {
    this.#editor = editor;
    this.#options = options;
  }

  /** Throws if it is not a session of this editor. */
  get(id: string): AcpSession {
    const found = this.#open.get(id);
    if (found === undefined)
      throw new RequestError(-32002, `no open session ${JSON.stringify(id)}: session/load reopens one`);
    return found;
  }

  /** A session that is already open is returned unchanged. */
  async reopen(id: string, place: SessionLocation): Promise<AcpSession> {
    const known = this.#open.get(id) ?? this.#reopening.get(id);
    if (known !== undefined) return known;
    const opening = this.open(place, id).finally(() => this.#reopening.delete(id));
    this.#reopening.set(id, opening);
    return opening;
  }

  async open(place: SessionLocation, resume?: string): Promise<AcpSession> {
    if (this.#isLeft) throw RequestError.internalError(undefined, 'the program is ending');
    const opening = this.#openAt(place, resume);
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #openAt(
    { cwd, additionalDirectories = [], mcpServers = [] }: SessionLocation,
    resume?: string,
  ): Promise<AcpSession> {
    for (const path of [cwd, ...additionalDirectories]) mustBeAbsolute(path);
    const { addDirs = [] } = this.#options;
    const machine = nodeHost(cwd);
    let opened: AcpSession | undefined;
    let files: EditorFiles | undefined;
    const made = await openSession({
      ...this.#options,
      cwd,
      host: withEditorFiles(machine, () => files),
      ...(addDirs.length + additionalDirectories.length === 0
        ? {}
        : { addDirs: [...addDirs, ...additionalDirectories] }),
      ...(mcpServers.length === 0 ? {} : { mcpServers: serverEntries(mcpServers) }),
      ...(resume === undefined ? {} : { resume }),
      interactive: true,
      onPermission: askEditor(() => {
        if (opened === undefined) throw new Error('the session is not open yet');
        return opened.asking;
      }),
    });
    if (!made.ok) throw failure(made);
    const { session } = made;
    if (this.#isLeft) {
      await session.close('other');
      throw RequestError.internalError(undefined, 'the program is ending');
    }
    const roots = [session.cwd, ...additionalDirectories.map((path) => machine.files.sync.realpath(path) ?? path)];
    files = this.#editorFiles(session.id, roots);
    opened = new AcpSession(session, this.#editor, machine.files, (path) => readCurrent(machine, roots, path));
    this.#open.set(session.id, opened);
    return opened;
  }

  #editorFiles(sessionId: string, roots: readonly string[]): EditorFiles | undefined {
    const { client, capabilities } = this.#editor;
    const { readTextFile, writeTextFile } = capabilities.fs ?? {};
    if (!readTextFile && !writeTextFile) return undefined;
    return {
      roots,
      read: readTextFile
        ? async (path) => (await client.request('fs/read_text_file', { sessionId, path })).content
        : undefined,
      write: writeTextFile
        ? async (path, content) => void (await client.request('fs/write_text_file', { sessionId, path, content }))
        : undefined,
    };
  }

  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    if (cursor != null && !/^\d{1,9}$/.test(cursor))
      throw RequestError.invalidParams(undefined, `unknown cursor ${JSON.stringify(cursor)}`);
    const from = Number(cursor ?? 0);
    if (cwd != null) mustBeAbsolute(cwd);
    const host = nodeHost(cwd ?? '/');
    const real = cwd == null ? undefined : await host.files.realpath(cwd).catch(() => cwd);
    const here = real === undefined ? {} : { project: projectKey(real) };
    const { sessions } = await listSessions(host, { home: coppiceHome(host.env), ...here });
    const known = sessions.filter(({ empty, onlyCalls, cwd }) => !empty && !onlyCalls && cwd !== '');
    const page = known.slice(from, from + PAGE);
    return {
      sessions: page.map(({ id, cwd, name, prompt, lastActive }) => ({
        sessionId: id,
        cwd,
        title: escapeToLine(oneLine(name ?? prompt).slice(0, 100)),
        ...(lastActive === 0 ? {} : { updatedAt: new Date(lastActive).toISOString() }),
      })),
      ...(from + PAGE < known.length ? { nextCursor: String(from + PAGE) } : {}),
    };
  }

  async close(id: string): Promise<void> {
    const found = this.get(id);
    this.#open.delete(id);
    await found.close();
  }

  async delete(id: string): Promise<void> {
    if (this.#open.has(id)) await this.close(id);
    const host = nodeHost('/');
    const home = coppiceHome(host.env);
    const { found } = await nameSessions(host.files, { home });
    const named = found.find((one) => one.id === id);
    if (named === undefined) throw new RequestError(-32002, `no session ${JSON.stringify(id)}`);
    const deleted = await deleteSession(host, sessionLayout(home, named.project, id));
    if (!deleted.ok) throw RequestError.internalError(undefined, deleted.reason);
  }

  /** As on SIGHUP: agents are interrupted and can be resumed, no process remains. Never rejects. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    await Promise.allSettled([...this.#open.values()].map((one) => one.close()));
    await Promise.allSettled(this.#opening);
  }
}

/** Reads a project file that is about to change, to show the difference. The real path decides. */
function readCurrent({ files }: Host, roots: readonly string[], path: string): string | undefined {
  try {
    const real = files.sync.realpath(path);
    if (real === undefined || !roots.some((root) => !relative(root, real).startsWith('..'))) return undefined;
    const found = files.sync.lstat(real);
    if (found?.kind !== 'file' || found.size > MOST_SHOWN) return undefined;
    return files.sync.read(real).toString('utf8');
  } catch {
    return undefined;
  }
}

function mustBeAbsolute(path: string): void {
  if (!isAbsolute(path)) throw RequestError.invalidParams(undefined, `${escapeToLine(path)} is not an absolute path`);
}

function failure({ kind, reason }: OpenFailure): RequestError {
  switch (kind) {
    case 'no-key':
      return new RequestError(-32000, reason);
    case 'usage':
    case 'folder':
      return new RequestError(-32602, escapeToLine(reason));
    default:
      return new RequestError(-32603, escapeToLine(reason));
  }
}

/** In the shape of `.mcp.json`. */
function serverEntries(servers: readonly McpServer[]): Readonly<Record<string, unknown>> {
  const entries = new Map<string, unknown>();
  for (const server of servers) {
    if (entries.has(server.name))
      throw RequestError.invalidParams(undefined, `two servers have the name ${JSON.stringify(server.name)}`);
    entries.set(server.name, serverEntry(server));
  }
  return Object.fromEntries(entries);
}

function serverEntry(server: McpServer): object {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ('type' in server) return { type: server.type, url: server.url, headers: pairs(server.headers) };
  return { type: 'stdio', command: server.command, args: server.args, env: pairs(server.env) };
}
