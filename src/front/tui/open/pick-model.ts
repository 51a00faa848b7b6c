/** Chooses a model from a list. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Conversation } from '../app/conversation.js';
import { ListPage } from '../pages/list-page.js';
import { clip, pad } from '../screen/width.js';
import { makePageHost } from './page-host.js';

export async function pickModel({ ui, session, host }: Conversation): Promise<void> {
  const found = await session.execute({ type: 'models' });
  if (!found.ok) return ui.hint(stripControls(found.reason));
  const { models } = found;
  const pageHost = makePageHost(ui, host);
  ui.pages.open(
    new ListPage({
      title: `Model (current: ${stripControls(session.model)})`,
      items: () => models,
      textOf: ({ name, id }) => `${name} ${id}`,
      row: ({ name, id, prices }, width) => {
        const cost = prices === undefined ? '' : `$${prices.input} in, $${prices.output} out per million tokens`;
        return clip(stripControls(`${pad(name, 16)} ${pad(id, 28)} ${cost}`), width);
      },
      first: models.findIndex(({ id }) => id === session.model),
      choose: ({ name }) => {
        pageHost.close();
        void session.execute({ type: 'set-model', model: name }).then((done) => {
          ui.hint(stripControls(done.ok ? `model: ${session.model}` : done.reason));
        });
      },
      theme: ui.theme,
      pageHost,
    }),
  );
}
