/** The status line command. A project's needs approval like its hooks, because it also runs automatically (EX-22, GT-3). */

import type { SourcedHook } from '../settings/collect-sources.js';
import type { SettingsResult } from '../settings/read-settings.js';
import type { Settings } from '../settings/settings-table.js';

export const STATUS_LINE_EVENT = 'statusLine';

/** Returns it as a hook with its origin; empty if it has no command. */
export function statusLineHooks({ entries }: Pick<SettingsResult, 'entries'>): readonly SourcedHook[] {
  return entries.flatMap(({ name, value, origin }): readonly SourcedHook[] => {
    if (name !== 'statusLine') return [];
    const handler = value as NonNullable<Settings['statusLine']>;
    if (handler.type !== 'command' || (handler.command ?? '').trim() === '') return [];
    return [{ event: STATUS_LINE_EVENT, group: { hooks: [handler] }, origin }];
  });
}
