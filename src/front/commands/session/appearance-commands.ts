/** `/theme` and `/vim`: how the terminal looks and takes keys. Lines have neither. */

import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'say' | 'ui'>;

export function changeTheme({ say, ui }: Context, name: string): void {
  if (ui === undefined) say('Themes are of the terminal: start coppice without --plain. NO_COLOR=1 has none.');
  else say(ui.theme(...(name === '' ? [] : [name])));
}

export function switchVim({ say, ui }: Context): void {
  if (ui === undefined) say("vim's keys are of the terminal's editor: start coppice without --plain.");
  else say(ui.vim() ? "vim's keys: on (Esc: normal mode; /vim switches them off)" : "vim's keys: off");
}
