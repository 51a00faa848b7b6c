/** Changes one of your settings files: the only place that writes settings. Everything else in the file stays. */

import { dirname } from 'node:path';
import type { Host } from '../../host/host.js';
import { type JsonObject, objectOf, parseObject } from '../../protocol/json/json-values.js';
import { localSettingsFile, userSettingsFile } from '../paths.js';
import { type UpdateResult, updateJsonFile } from '../update-json-file.js';
import { answeredRules, rememberAnswered } from './answered-rules.js';
import { readSettingsFile } from './read-settings-file.js';

export type SettingsChange = {
  /** May be called again, so it must be idempotent. */
  change(content: JsonObject): JsonObject;
  holds(content: JsonObject): boolean;
};

/**
 * Changes the local settings of a project. `answers`: allow rules that you added by answering a prompt; earlier ones stay
 * recorded as yours.
 */
export async function changeLocalSettings(
  host: Host,
  projectRoot: string,
  change: SettingsChange,
  answers: readonly string[] = [],
): Promise<UpdateResult> {
  const file = localSettingsFile(projectRoot);
  // A link in the repository must not redirect the write.
  for (const path of [dirname(file), file]) {
    if ((await host.files.lstat(path))?.kind === 'link')
      return { ok: false, reason: `${path} is a link; nothing was written` };
  }
  const before = await answeredRules(host, projectRoot);
  const result = await changeFile(host, file, change);
  const known = new Set([...before, ...answers]);
  if (result.ok && known.size > 0) await rememberAnswered(host, projectRoot, [...known]);
  return result;
}

/** Changes your user settings. */
export async function changeUserSettings(host: Host, change: SettingsChange): Promise<UpdateResult> {
  const path = userSettingsFile(host.env);
  // Settings may be a link into a dotfiles folder: write through it.
  const file = await host.files.realpath(path).catch(() => path);
  return changeFile(host, file, change);
}

/** Saves your "always" for agents that edit files. Resolves with the reason if it was not saved. */
export async function allowAgentEdits(host: Host): Promise<string | undefined> {
  const saved = await changeUserSettings(host, {
    change: (content) => ({ ...content, subagents: { ...objectOf(content.subagents), allowEdits: true } }),
    holds: ({ subagents }) => objectOf(subagents).allowEdits === true,
  });
  return saved.ok ? undefined : saved.reason;
}

/** Fails on a file that is not a JSON object, and leaves it unchanged. */
async function changeFile(host: Host, file: string, { change, holds }: SettingsChange): Promise<UpdateResult> {
  const found = await readSettingsFile(host, file);
  if (found.kind === 'unreadable' || (found.kind === 'text' && parseContent(found.text) === undefined)) {
    return { ok: false, reason: `${file} is not a valid settings file; fix it first` };
  }
  return updateJsonFile<JsonObject>(host, file, {
    parse: (now) => ({ value: (now === undefined ? undefined : parseContent(now)) ?? {}, damaged: false }),
    change,
    holds,
  });
}

/** Undefined if the text is not a JSON object. */
export function parseContent(text: string): JsonObject | undefined {
  return parseObject(text.replace(/^\uFEFF/, ''));
}
