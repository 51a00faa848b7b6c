/** All agents and background commands, full screen (`/tasks`): the tree of the live area with more room. */

import type { SessionView } from '../../view/session-view.js';
import type { KeyEvent } from '../input/key-event.js';
import type { TreeAction } from '../panels/tree-keys.js';
import { TreePanel, type TreePanelOptions } from '../panels/tree-panel.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';

export type TreePageOptions = TreePanelOptions & {
  readonly view: () => Pick<SessionView, 'agents' | 'shells'>;
  readonly theme: () => Theme;
  readonly pageHost: Pick<PageHost, 'close' | 'paint'>;
  /** `leave` closes the page and is not passed on. */
  readonly act: (action: Exclude<TreeAction, { readonly kind: 'leave' }>) => void;
};

export class TreePage implements Page {
  readonly #options: TreePageOptions;
  readonly #panel: TreePanel;

  constructor(options: TreePageOptions) {
    this.#options = options;
    this.#panel = new TreePanel({ ...options, opensAll: true });
  }

  frame({ columns, rows }: Size, now: number): Frame {
    const { view, theme } = this.#options;
    const width = Math.max(0, columns - 1);
    const paint = theme();
    if (!this.#panel.hasFocus) {
      // The first frame sets the order; after that nothing moves.
      this.#panel.rows(view(), now, { width, maxRows: rows }, paint);
      this.#panel.focus();
    }
    const shown = this.#panel.rows(view(), now, { width, maxRows: rows }, paint);
    return {
      rows: shown.length > 0 ? shown : [clip('No agents or background commands. esc back', width)],
    };
  }

  press(event: KeyEvent): void {
    const { pageHost, act } = this.#options;
    const isLeft = event.kind === 'key' && event.name === 'esc' && this.#panel.isEmpty;
    const action = this.#panel.press(event);
    if (isLeft || action?.kind === 'leave') pageHost.close();
    else if (action !== undefined) act(action);
    pageHost.paint();
  }
}
