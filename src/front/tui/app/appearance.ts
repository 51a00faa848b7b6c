/** Theme and vim keys, from the settings and changed by commands (TU-29). */

import type { Host } from '../../../host/host.js';
import type { TerminalParts } from '../../commands/command-context.js';
import type { Session } from '../../sdk/session.js';
import { copyText } from '../actions/copy-text.js';
import { readTheme, THEMES } from '../theme/choose-theme.js';
import type { Ui } from './ui.js';

export class Appearance implements TerminalParts {
  readonly #ui: Ui;
  readonly #session: Session;
  readonly #host: Host;

  constructor(ui: Ui, session: Session, host: Host) {
    this.#ui = ui;
    this.#session = session;
    this.#host = host;
    ui.useTheme(session.ui.theme ?? 'auto');
    if (session.ui.editorMode === 'vim') void ui.useVim(true);
  }

  theme(name?: string): string {
    if (name === undefined || name === '') {
      return `theme: ${this.#ui.themeName} (available: ${THEMES.map((one) => one.name).join(', ')})`;
    }
    const found = readTheme(name);
    if (found === undefined) return `Unknown theme ${name}. Available: ${THEMES.map((one) => one.name).join(', ')}`;
    this.#ui.useTheme(found.name);
    void this.#keep({ theme: found.name });
    return `theme: ${found.name}`;
  }

  vim(): boolean {
    const isOn = this.#ui.vim === undefined;
    void this.#ui.useVim(isOn);
    void this.#keep({ editorMode: isOn ? 'vim' : 'normal' });
    return isOn;
  }

  copy(text: string): Promise<string> {
    return copyText(this.#ui, this.#host, text);
  }

  /** Saved for the next start, too. */
  async #keep(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#session.execute({ type: 'change-settings', source: 'user', settings });
  }
}
