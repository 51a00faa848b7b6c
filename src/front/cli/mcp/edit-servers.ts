/** `coppice mcp add`, `add-json` and `remove`: change the servers file of a scope (MC-8). */

import { isServerApprovable, serverApproval } from '../../../config/approvals/project-servers.js';
import { checkServer } from '../../../config/mcp/check-server.js';
import {
  addServer,
  EDITED_SCOPES,
  type EditedScope,
  removeServer,
  serversFile,
  serversIn,
} from '../../../config/mcp/edit-servers.js';
import { variablesIn } from '../../../config/mcp/expand-variables.js';
import { findUnapprovedServers } from '../../../config/mcp/find-unapproved-servers.js';
import { judgeServers } from '../../../config/mcp/judge-servers.js';
import { secretPaths } from '../../../config/mcp/mask-server.js';
import type { ServersQuery } from '../../../config/mcp/read-servers.js';
import { describeUnusedKeys } from '../../../config/mcp/unused-keys.js';
import { openTrust } from '../../../config/trust.js';
import { readConfig } from '../../../engine/open/read-config.js';
import { excludeFromGit } from '../../../host/git/exclude-from-git.js';
import type { Result } from '../../../protocol/result.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT } from '../exit-code.js';
import { inFolder } from './folder-servers.js';

type ScopeFlags = { readonly scope: EditedScope; readonly json?: boolean };

export type AddFlags = ScopeFlags & {
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly env?: readonly string[];
  readonly header?: readonly string[];
};

export async function runMcpAdd(
  name: string,
  target: string,
  args: readonly string[],
  flags: AddFlags,
): Promise<number> {
  const made = entryOf(target, args, flags);
  return made.ok ? store(name, made.entry, flags) : fail(made.reason, { ...flags, code: EXIT.usage });
}

export async function runMcpAddJson(name: string, json: string, flags: ScopeFlags): Promise<number> {
  try {
    return await store(name, JSON.parse(json) as object, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('the entry is not valid JSON: give {"command": "…"} or {"type": "http", "url": "…"}', {
      ...flags,
      code: EXIT.usage,
    });
  }
}

export function runMcpRemove(name: string, { scope, json = false }: Partial<ScopeFlags>): Promise<number> {
  return inFolder(async ({ host, projectRoot }) => {
    const places = (scope === undefined ? EDITED_SCOPES : [scope]).map((one) => ({ host, projectRoot, scope: one }));
    const having: typeof places = [];
    for (const place of places) if ((await serversIn(place)).includes(name)) having.push(place);
    const [place, ...others] = having;
    if (place === undefined) {
      const files = places.map(serversFile).join(', ');
      return fail(`no server ${name} in ${files} (~/.claude.json is never changed)`, {
        json,
        code: EXIT.usage,
      });
    }
    if (others.length > 0) {
      const scopes = having.map((one) => one.scope).join(', ');
      return fail(`${name} is in several files: choose one with --scope (${scopes})`, { json, code: EXIT.usage });
    }
    const removed = await removeServer(place, name);
    if (!removed.ok) return fail(removed.reason, { json });
    const file = serversFile(place);
    return json ? printJson({ ok: true, name, scope: place.scope, file }) : print([`Removed ${name} from ${file}.`]);
  });
}

type Made = Result<{ readonly entry: object }>;

function entryOf(target: string, args: readonly string[], { transport, env = [], header = [] }: AddFlags): Made {
  const isUrl = /^https?:\/\//i.test(target);
  const no = (reason: string): Made => ({ ok: false, reason });
  if (transport === undefined && isUrl) return no(`${target} is a URL: give its transport with -t http or -t sse`);
  if (transport === undefined || transport === 'stdio') {
    if (header.length > 0) return no('headers are for servers of type http and sse');
    const variables = pairs(env, /^([^=]+)=([\s\S]*)$/);
    if (variables === undefined) return no('give variables as -e KEY=value');
    const some = env.length > 0 ? { env: variables } : {};
    return { ok: true, entry: { type: 'stdio', command: target, args, ...some } };
  }
  if (env.length > 0) return no('variables are for servers of type stdio; for a remote one give headers with -H');
  if (args.length > 0) return no(`a server of type ${transport} has a URL and no arguments`);
  const headers = pairs(header, /^([^:]+):\s*([\s\S]*)$/);
  if (headers === undefined) return no('give headers as -H "Name: value"');
  return { ok: true, entry: { type: transport, url: target, ...(header.length > 0 ? { headers } : {}) } };
}

function pairs(texts: readonly string[], form: RegExp): Readonly<Record<string, string>> | undefined {
  const found = texts.map((text) => form.exec(text));
  if (found.includes(null)) return undefined;
  return Object.fromEntries(found.map((match) => [match?.[1]?.trim() ?? '', match?.[2] ?? '']));
}

/** Only names that are easy to type and to read in rules can be added. Names written by other tools are not restricted. */
const NAME = /^[\w-]{1,100}$/;

async function store(name: string, entry: object, { scope, json = false }: ScopeFlags): Promise<number> {
  return inFolder(async (query) => {
    const { host, projectRoot } = query;
    if (!NAME.test(name) || name === '__proto__') {
      const reason = 'a name has up to 100 letters, digits, - and _, and is not __proto__';
      return fail(reason, { json, code: EXIT.usage });
    }
    // Variables may be set later, where the server is used; only their names are checked here.
    const set = Object.fromEntries(variablesIn([JSON.stringify(entry) ?? '']).map((one) => [one, 'https://set.later']));
    const checked = checkServer(entry, { env: { ...set, ...host.env }, projectRoot, isForeign: scope !== 'user' });
    if (!checked.ok) return fail(checked.reason, { json, code: EXIT.usage });
    const place = { host, projectRoot, scope };
    const added = await addServer(place, name, entry);
    if (!added.ok) return fail(added.reason, { json });
    const file = serversFile(place);
    const notes = [
      ...checked.warnings,
      ...describeUnusedKeys(entry),
      ...(scope === 'project' ? describeSecrets(entry, file) : []),
      ...(scope === 'local' ? await keepOut(query) : []),
      ...(scope === 'user' ? [] : await approveAdded(query, name, entry)),
    ];
    if (json) return printJson({ ok: true, name, scope, file, notes });
    printToStderr(notes);
    return print([
      `Added ${name} to ${file}. Sessions use it from the next one on${scope === 'user' ? '' : ', here'}.`,
    ]);
  });
}

/** Warns of secrets in the file of a project, which everyone in it reads. */
function describeSecrets(entry: object, file: string): readonly string[] {
  return secretPaths(entry).map(
    (place) =>
      `${place} looks like a secret, and ${file} is usually committed: write \${NAME} instead, and set NAME in your environment`,
  );
}

/** Keeps the user's private file out of the repository. */
async function keepOut({ host, projectRoot }: ServersQuery): Promise<readonly string[]> {
  const note = await excludeFromGit(host, projectRoot, ['/.claude/settings.local.json']);
  return note === undefined ? [] : [note];
}

/** Approves a server that the user has just added. Returns what keeps it from running. */
async function approveAdded(query: ServersQuery, name: string, entry: object): Promise<readonly string[]> {
  const again = await readConfig({}, query.host, query.projectRoot);
  if (!again.ok) return [again.reason];
  const now = { ...query, settings: again.settings };
  const waiting = await findUnapprovedServers(now, []);
  const mine = waiting.find(
    ({ server }) => server.name === name && JSON.stringify(server.raw) === JSON.stringify(entry),
  )?.server;
  if (mine !== undefined && isServerApprovable(mine)) {
    const stored = await openTrust(query.host).approve(query.approvalsRoot, [serverApproval(mine)]);
    if (!stored.ok) return [`Not approved yet: ${stored.reason}`];
  }
  const added = (await judgeServers(now)).servers.find((one) => one.entry.name === name);
  return added === undefined || added.may ? [] : [`It won't start yet: ${added.skipped.reason}.`];
}
