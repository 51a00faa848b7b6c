/** Chooses a theme from a list. */

import type { Conversation } from '../app/conversation.js';
import { ListPage } from '../pages/list-page.js';
import { clip, pad } from '../screen/width.js';
import { THEMES } from '../theme/choose-theme.js';
import { makePageHost } from './page-host.js';

export async function pickTheme({ ui, host, appearance }: Conversation): Promise<void> {
  const pageHost = makePageHost(ui, host);
  ui.pages.open(
    new ListPage({
      title: `Theme (current: ${ui.themeName})`,
      items: () => THEMES,
      textOf: ({ name, help }) => `${name} ${help}`,
      row: ({ name, help }, width) => clip(`${pad(name, 20)} ${help}`, width),
      first: THEMES.findIndex(({ name }) => name === ui.themeName),
      choose: ({ name }) => {
        pageHost.close();
        ui.hint(appearance.theme(name));
      },
      theme: ui.theme,
      pageHost,
    }),
  );
}
