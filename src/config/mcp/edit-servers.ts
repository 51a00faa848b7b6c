/** Adds a server to a file of servers, or removes one: a person's settings, a project's `.mcp.json` or local settings. */

import { dirname, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { localSettingsFile, userSettingsFile } from '../paths.js';
import { answeredRules, rememberAnswered } from '../settings/answered-rules.js';
import { readSettingsFile } from '../settings/read-settings-file.js';
import { parseContent, recordIn, type SettingsContent } from '../settings/settings-content.js';
import { type UpdateResult, updateJsonFile } from '../update-json-file.js';

/** Where a server can be written to. */
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

/** Refuses a name that is there already. */
export function addServer(place: EditTarget, name: string, entry: object): Promise<UpdateResult> {
  return editServers(place, {
    refuse: (servers, file) => (Object.hasOwn(servers, name) ? `${file} has a server ${name} already` : undefined),
    change: (servers) => ({ ...servers, [name]: entry }),
    holds: (servers) => Object.hasOwn(servers, name),
  });
}

/** Refuses a name that is not there. */
export function removeServer(place: EditTarget, name: string): Promise<UpdateResult> {
  return editServers(place, {
    refuse: (servers, file) => (Object.hasOwn(servers, name) ? undefined : `${file} has no server ${name}`),
    change: (servers) => Object.fromEntries(Object.entries(servers).filter(([key]) => key !== name)),
    holds: (servers) => !Object.hasOwn(servers, name),
  });
}

/** The names in the file. A file that can't be read has none. */
export async function serversIn(place: EditTarget): Promise<readonly string[]> {
  const found = await readSettingsFile(place.host, serversFile(place));
  return found.kind === 'text' ? Object.keys(recordIn(parseContent(found.text)?.mcpServers)) : [];
}

type Edit = {
  refuse(servers: SettingsContent, file: string): string | undefined;
  change(servers: SettingsContent): SettingsContent;
  holds(servers: SettingsContent): boolean;
};

/** Keeps everything else in the file. A file that is not a JSON object is not changed; the result says so. */
async function editServers(place: EditTarget, { refuse, change, holds }: Edit): Promise<UpdateResult> {
  const { host, projectRoot, scope } = place;
  const path = serversFile(place);
  // People keep their settings elsewhere and link to them. A link in a repository must not redirect the write.
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
  const refusal = refuse(recordIn(content.mcpServers), file);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  // The person's answers in the file stay theirs, although it changes.
  const answered = scope === 'local' ? await answeredRules(host, projectRoot) : [];
  const result = await updateJsonFile<SettingsContent>(host, file, {
    parse: (text) => ({ value: (text === undefined ? undefined : contentOf(text)) ?? {}, damaged: false }),
    change: (now) => ({ ...now, mcpServers: change(recordIn(now.mcpServers)) }),
    holds: (now) => holds(recordIn(now.mcpServers)),
  });
  if (result.ok && answered.length > 0) await rememberAnswered(host, projectRoot, answered);
  return result;
}

function contentOf(text: string): SettingsContent | undefined {
  return text.trim() === '' ? {} : parseContent(text);
}
