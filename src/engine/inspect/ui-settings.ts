/** How a screen of the session is to look and behave, as the person's settings say. */

import type { NoticeWay, Settings } from '../../config/settings/settings-schema.js';

export type UiSettings = {
  /** The name of a theme; undefined: as the terminal answers. */
  readonly theme: string | undefined;
  readonly notify: NoticeWay;
  readonly editorMode: 'normal' | 'vim';
  /** With more agents than this at work, a line says what they cost and how to stop them. */
  readonly agentsWarnAt: number;
};

export function uiSettings({ theme, notify = 'auto', editorMode = 'normal', agentsWarnAt = 50 }: Settings): UiSettings {
  return { theme, notify, editorMode, agentsWarnAt };
}
