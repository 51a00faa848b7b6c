/** The command of the status line. One of a project is approved as its hooks are: it runs by itself, too (EX-22, GT-3). */

import type { SourcedHook } from '../settings/collect-sources.js';
import type { SettingsResult } from '../settings/read-settings.js';
import type { Settings } from '../settings/settings-table.js';

export const STATUS_LINE_EVENT = 'statusLine';

/** As a hook, with where it is from. None if it has no command. */
export function statusLineHooks({ entries }: Pick<SettingsResult, 'entries'>): readonly SourcedHook[] {
  return entries.flatMap(({ name, value, origin }): readonly SourcedHook[] => {
    if (name !== 'statusLine') return [];
    const handler = value as NonNullable<Settings['statusLine']>;
    if (handler.type !== 'command' || (handler.command ?? '').trim() === '') return [];
    return [{ event: STATUS_LINE_EVENT, group: { hooks: [handler] }, origin }];
  });
}
