/** Adds an allow rule to a project's local settings, when the user answers "always allow": it is theirs from then on. */

import { dirname } from 'node:path';
import type { Host } from '../../host/host.js';
import { localSettingsFile } from '../paths.js';
import { type UpdateResult, updateJsonFile } from '../update-json-file.js';
import { answeredRules, rememberAnswered } from './answered-rules.js';
import { readSettingsFile } from './read-settings-file.js';
import { type SettingsContent as Content, parseContent as parse, recordIn as record } from './settings-content.js';

/** Keeps everything else in the file. A file that is not a JSON object is not changed; the result says so. */
export async function addLocalRule(host: Host, projectRoot: string, rule: string): Promise<UpdateResult> {
  const file = localSettingsFile(projectRoot);
  // A link in the repository must not redirect the write.
  for (const path of [dirname(file), file]) {
    if ((await host.files.lstat(path))?.kind === 'link')
      return { ok: false, reason: `${path} is a link; nothing was written` };
  }
  const found = await readSettingsFile(host, file);
  if (found.kind === 'unreadable' || (found.kind === 'text' && parse(found.text) === undefined)) {
    return { ok: false, reason: `${file} is not a valid settings file; fix it first` };
  }
  const before = await answeredRules(host, projectRoot);
  const result = await updateJsonFile<Content>(host, file, {
    parse: (now) => ({ value: (now === undefined ? undefined : parse(now)) ?? {}, damaged: false }),
    change: (content) => withRule(content, rule),
    holds: (content) => allowed(content).includes(rule),
  });
  if (result.ok) await rememberAnswered(host, projectRoot, [...new Set([...before, rule])]);
  return result;
}

function withRule(content: Content, rule: string): Content {
  const rules = allowed(content);
  if (rules.includes(rule)) return content;
  return { ...content, permissions: { ...record(content.permissions), allow: [...rules, rule] } };
}

function allowed(content: Content): readonly unknown[] {
  const { allow } = record(content.permissions);
  return Array.isArray(allow) ? allow : [];
}
