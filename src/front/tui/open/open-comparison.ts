/** `/compare`: agents side by side on a page; a number applies the work of one (TU-31). */

import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { findTask } from '../../commands/agents/agent-commands.js';
import { type ComparedAgent, comparisonOf } from '../../commands/agents/comparison.js';
import type { Conversation } from '../app/conversation.js';
import { ListPage } from '../pages/list-page.js';
import { TextPage } from '../pages/text-page.js';
import { comparisonRows } from '../parts/comparison-rows.js';
import { clip } from '../screen/width.js';
import { makePageHost } from './page-host.js';

export async function openComparison(conversation: Conversation, argument: string): Promise<void> {
  const { ui, session, printer, host } = conversation;
  const wanted = argument.split(/\s+/).filter((word) => word !== '');
  const ids = wanted.map((word) => findTask(session, word));
  const found = await comparisonOf(session, ids);
  if (!found.ok) return printer.say('warning', stripControls(found.reason));
  const pageHost = makePageHost(ui, host);
  const apply = ({ snapshot }: ComparedAgent) => {
    ui.pages.closeAll();
    conversation.typed.run(`/apply ${snapshot.id}`);
  };
  const apart = found.agents.filter(({ worktree }) => worktree !== undefined);
  const keys = found.agents.slice(0, 9).flatMap((agent, index) => {
    const key = String(index + 1);
    return agent.worktree === undefined ? [] : [[key, { does: 'apply', act: () => apply(agent) }] as const];
  });
  const choose = () => {
    const [only, ...more] = apart;
    if (only !== undefined && more.length === 0) return apply(only);
    ui.pages.open(
      new ListPage({
        title: 'Apply whose work?',
        items: () => apart,
        textOf: ({ label, snapshot }) => `${label} ${snapshot.description}`,
        row: ({ label, snapshot }, width) => clip(stripToLine(`${label}: ${snapshot.description}`), width),
        choose: apply,
        theme: ui.theme,
        pageHost,
      }),
    );
  };
  ui.pages.open(
    new TextPage({
      title: plural(found.agents.length, 'agent', 'agents compared'),
      rows: (width) => comparisonRows(found, { width, theme: ui.theme }),
      keys: {
        ...(apart.length === 0 ? {} : { A: { does: 'apply one', act: choose } }),
        ...Object.fromEntries(keys),
      },
      theme: ui.theme,
      pageHost,
    }),
  );
}
