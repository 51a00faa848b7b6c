/** The services of the terminal for pages. */

import { join } from 'node:path';
import { coppiceHome } from '../../../config/paths.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Host } from '../../../host/host.js';
import { copyText } from '../actions/copy-text.js';
import type { Ui } from '../app/ui.js';
import type { PageHost } from '../pages/page.js';

export function makePageHost(ui: Ui, host: Host): PageHost {
  return {
    open: (page) => ui.pages.open(page),
    close: () => ui.pages.close(),
    paint: () => ui.paint(),
    copy: (text) => copyText(ui, host, text),
    page: async (text) => {
      const { showInPager } = await import('../actions/external-programs.js');
      const reason = await ui.screen.release(() => showInPager(host, join(coppiceHome(host.env), 'shown'), text));
      if (reason !== undefined) ui.hint(stripControls(reason), 6_000);
    },
  };
}
