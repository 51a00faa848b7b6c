/** Rewinding: a page of prompts with what followed each; then the part to restore, with its changes (TU-24). */

import type { PromptReport } from '../../../engine/commands/command-results.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { age, plural } from '../../../protocol/format-numbers.js';
import { rewindByCommand } from '../../commands/conversation/rewind-command.js';
import { contextOf } from '../actions/command-context-of.js';
import type { Conversation } from '../app/conversation.js';
import { ListPage } from '../pages/list-page.js';
import { clip } from '../screen/width.js';
import { makePageHost } from './page-host.js';

type Numbered = PromptReport & { readonly number: number };

export async function openRewind(conversation: Conversation): Promise<void> {
  const { ui, session, host } = conversation;
  const found = await session.execute({ type: 'prompts' });
  if (!found.ok) return ui.hint(stripControls(found.reason));
  const prompts = found.prompts.map((prompt, index): Numbered => ({ ...prompt, number: index + 1 })).reverse();
  if (prompts.length === 0) return ui.hint('no prompt to rewind to yet');
  const pageHost = makePageHost(ui, host);
  ui.pages.open(
    new ListPage({
      title: 'Rewind to before which prompt?',
      items: () => prompts,
      textOf: ({ words }) => words,
      row: (prompt, width) => clip(describe(prompt, found.now), width),
      preview: ({ number }) => changesSince(conversation, number),
      choose: ({ number, words }) => {
        pageHost.close();
        void rewind(conversation, number, words);
      },
      theme: ui.theme,
      pageHost,
    }),
  );
}

async function rewind(conversation: Conversation, number: number, words: string): Promise<void> {
  const { ui, session } = conversation;
  const before = (await session.prompts()).length;
  await rewindByCommand(contextOf(conversation), String(number));
  const isBack = (await session.prompts()).length < before;
  if (isBack && ui.editor.isEmpty) ui.editor.set(words);
  ui.paint();
}

function describe({ words, at, files, agents }: Numbered, now: number): string {
  const since = [
    ...(at === undefined ? [] : [age(now - at)]),
    ...(files.length === 0 ? [] : [`${plural(files.length, 'file')} since`]),
    ...(agents.length === 0 ? [] : [`${plural(agents.length, 'agent')} since`]),
  ];
  return `${stripToLine(words)}${since.length === 0 ? '' : ` · ${since.join(' · ')}`}`;
}

async function changesSince({ session }: Conversation, number: number): Promise<readonly string[]> {
  const look = await session.execute({ type: 'rewind', to: number, part: 'files', dryRun: true });
  if (!look.ok) return [stripControls(look.reason)];
  if (look.files.length === 0) return ['no files changed since'];
  return stripControls(look.patch ?? '')
    .trimEnd()
    .split('\n');
}
