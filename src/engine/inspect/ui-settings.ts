/** The appearance and behaviour of the screen, from your settings. */

import type { NoticeWay } from '../../config/settings/setting-shapes.js';
import { type Settings, settingOf } from '../../config/settings/settings-table.js';

export type UiSettings = {
  /** The name of a theme; undefined: detected from the terminal. */
  readonly theme: string | undefined;
  readonly notify: NoticeWay;
  readonly editorMode: 'normal' | 'vim';
  /** With more running agents than this, a line shows their cost and how to stop them. */
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
