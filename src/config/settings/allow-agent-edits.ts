/** Keeps the person's "always" to agents that change files: `subagents.allowEdits` in their own settings. */

import type { Host } from '../../host/host.js';
import { userSettingsFile } from '../paths.js';
import { updateJsonFile } from '../update-json-file.js';
import { readSettingsFile } from './read-settings-file.js';
import { parseContent, recordIn, type SettingsContent } from './settings-content.js';

/** Keeps everything else in the file. Resolves with the reason if it was not saved. */
export async function allowAgentEdits(host: Host): Promise<string | undefined> {
  const path = userSettingsFile(host.env);
  // People keep their settings elsewhere and link to them: the link stays.
  const file = await host.files.realpath(path).catch(() => path);
  const found = await readSettingsFile(host, file);
  if (found.kind === 'unreadable' || (found.kind === 'text' && parseContent(found.text) === undefined)) {
    return `${file} is not a valid settings file; fix it first`;
  }
  const saved = await updateJsonFile<SettingsContent>(host, file, {
    parse: (now) => ({ value: (now === undefined ? undefined : parseContent(now)) ?? {}, damaged: false }),
    change: (content) => ({ ...content, subagents: { ...recordIn(content.subagents), allowEdits: true } }),
    holds: ({ subagents }) => recordIn(subagents).allowEdits === true,
  });
  return saved.ok ? undefined : saved.reason;
}
