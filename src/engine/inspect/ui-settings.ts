/** How a screen of the session is to look and behave, as the person's settings say. */

import type { NoticeWay } from '../../config/settings/setting-shapes.js';
import { type Settings, settingOf } from '../../config/settings/settings-table.js';

export type UiSettings = {
  /** The name of a theme; undefined: as the terminal answers. */
  readonly theme: string | undefined;
  readonly notify: NoticeWay;
  readonly editorMode: 'normal' | 'vim';
  /** With more agents than this at work, a line says what they cost and how to stop them. */
  readonly agentsWarnAt: number;
};

export function uiSettings(settings: Settings): UiSettings {
  return {
    theme: settings.theme,
    notify: settingOf(settings, 'notify'),
    editorMode: settingOf(settings, 'editorMode'),
    agentsWarnAt: settingOf(settings, 'agentsWarnAt'),
  };
}
