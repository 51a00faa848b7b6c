/** Adds or removes an MCP server in your settings, or in a project's `.mcp.json` or local settings. */

import { dirname, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { type JsonObject, objectOf } from '../../protocol/json/json-values.js';
import { localSettingsFile, userSettingsFile } from '../paths.js';
import { answeredRules, rememberAnswered } from '../settings/answered-rules.js';
import { parseContent } from '../settings/change-settings-file.js';
import { readSettingsFile } from '../settings/read-settings-file.js';
import { type UpdateResult, updateJsonFile } from '../update-json-file.js';

/** The scopes that a server can be added to. */
export const EDITED_SCOPES = ['local', 'user', 'project'] as const;
export type EditedScope = (typeof EDITED_SCOPES)[number];

export type EditTarget = { readonly host: Host; readonly projectRoot: string; readonly scope: EditedScope };

export function serversFile({ host, projectRoot, scope }: EditTarget): string {
  switch (scope) {
    case 'user':
      return userSettingsFile(host.env);
    case 'project':
      return join(projectRoot, '.mcp.json');
    case 'local':
      return localSettingsFile(projectRoot);
    default:
      return scope satisfies never;
  }
}

/** Fails if the name already exists. */
export function addServer(target: EditTarget, name: string, entry: object): Promise<UpdateResult> {
  return editServers(target, {
    refuse: (servers, file) => (Object.hasOwn(servers, name) ? `${file} has a server ${name} already` : undefined),
    change: (servers) => ({ ...servers, [name]: entry }),
    holds: (servers) => Object.hasOwn(servers, name),
  });
}

/** Fails if the name does not exist. */
export function removeServer(target: EditTarget, name: string): Promise<UpdateResult> {
  return editServers(target, {
    refuse: (servers, file) => (Object.hasOwn(servers, name) ? undefined : `${file} has no server ${name}`),
    change: (servers) => Object.fromEntries(Object.entries(servers).filter(([key]) => key !== name)),
    holds: (servers) => !Object.hasOwn(servers, name),
  });
}

/** The names in the file; empty if it can't be read. */
export async function serversIn(target: EditTarget): Promise<readonly string[]> {
  const found = await readSettingsFile(target.host, serversFile(target));
  return found.kind === 'text' ? Object.keys(objectOf(parseContent(found.text)?.mcpServers)) : [];
}

type Edit = {
  refuse(servers: JsonObject, file: string): string | undefined;
  change(servers: JsonObject): JsonObject;
  holds(servers: JsonObject): boolean;
};

/** Preserves everything else in the file. Fails on a file that is not a JSON object, and leaves it unchanged. */
async function editServers(target: EditTarget, { refuse, change, holds }: Edit): Promise<UpdateResult> {
  const { host, projectRoot, scope } = target;
  const path = serversFile(target);
  // User settings may be a link into a dotfiles folder. A link in a repository must not redirect the write.
  const file = scope === 'user' ? await host.files.realpath(path).catch(() => path) : path;
  const guarded = scope === 'local' ? [dirname(file), file] : scope === 'project' ? [file] : [];
  for (const one of guarded) {
    if ((await host.files.lstat(one))?.kind === 'link')
      return { ok: false, reason: `${one} is a link; nothing was written` };
  }
  const found = await readSettingsFile(host, file);
  const content = found.kind === 'text' ? contentOf(found.text) : {};
  if (found.kind === 'unreadable' || content === undefined) {
    return { ok: false, reason: `${file} can't be changed: it is not a valid JSON object; fix it first` };
  }
  const refusal = refuse(objectOf(content.mcpServers), file);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  // Rules that you added by answering a prompt stay recorded as yours, although the file changes.
  const answered = scope === 'local' ? await answeredRules(host, projectRoot) : [];
  const result = await updateJsonFile<JsonObject>(host, file, {
    parse: (text) => ({ value: (text === undefined ? undefined : contentOf(text)) ?? {}, damaged: false }),
    change: (now) => ({ ...now, mcpServers: change(objectOf(now.mcpServers)) }),
    holds: (now) => holds(objectOf(now.mcpServers)),
  });
  if (result.ok && answered.length > 0) await rememberAnswered(host, projectRoot, answered);
  return result;
}

function contentOf(text: string): JsonObject | undefined {
  return text.trim() === '' ? {} : parseContent(text);
}
