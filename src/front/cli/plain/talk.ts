/** The conversation loop: reads a prompt, lets the agent work, and repeats until the person leaves. */

import { VERSION } from '../../../engine/version.js';
import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { Session } from '../../sdk/session.js';
import type { Paint } from '../../view/paint.js';
import { EXIT } from '../exit-code.js';
import { followSession } from '../follow-session.js';
import type { LineInput } from './line-input.js';
import { isCommand, runCommand } from './plain-commands.js';
import type { PlainView } from './plain-view.js';
import type { Screen } from './screen.js';

export type Talk = {
  readonly session: Session;
  readonly firstPrompt: string | undefined;
  readonly screen: Screen;
  readonly input: LineInput;
  readonly paint: Paint;
  readonly view: PlainView;
  /** Aborts when the person leaves. */
  readonly signal: AbortSignal;
  setWorking(working: boolean): void;
  leave(code: number): void;
};

export async function talk(options: Talk): Promise<{ readonly said: boolean }> {
  const { session, screen, input, paint, view, signal } = options;
  const followed = followSession(session, view.show);
  const say = (line: string) => screen.line(line);
  const leave = () => options.leave(EXIT.done);
  const ask = (question: string) => {
    say(question);
    return input.read({ prompt: '? ', question: true, signal });
  };
  const command = (words: string) => runCommand(words, { session, view: followed, say, ask, leave });
  /** Prompts sent while the agent worked. They usually join the current run, but it may have ended just before. */
  const also: Promise<void>[] = [];
  input.onWords = (words) => {
    if (words.trim() === '') return;
    if (isCommand(words)) return void command(words);
    say(paint.dim('(the agent sees this at its next step)'));
    also.push(send(options, words));
  };
  greet(options);
  let said = false;
  let next = options.firstPrompt?.trim() ? options.firstPrompt : undefined;
  while (!signal.aborted) {
    const words = next ?? (await input.read({ prompt: promptOf(session), signal }));
    next = undefined;
    if (words === undefined) break;
    if (words.trim() === '') continue;
    if (isCommand(words)) {
      await command(words);
      continue;
    }
    said = true;
    options.setWorking(true);
    await send(options, words);
    for (let more = also.shift(); more !== undefined; more = also.shift()) await more;
    options.setWorking(false);
  }
  return { said };
}

async function send({ session, screen, paint, view }: Talk, words: string): Promise<void> {
  let ended = false;
  const stop = session.watch(({ agent, event }) => {
    if (agent === MAIN_AGENT && event.kind === 'run-ended') ended = true;
  });
  const end = await session.send(words);
  await view.settled();
  stop();
  // A prompt that never became a run (refused by a hook, not saved) has no event that reports it.
  if (!ended && end.line !== undefined) screen.line(paint.bad(`! ${stripUnsafe(end.line)}`));
}

function greet({ session, screen, paint }: Talk): void {
  const { model, cwd, mode, warnings } = session;
  screen.line(`Coppice ${VERSION} · ${model} · ${stripUnsafe(cwd)} · mode ${mode} · /help lists the commands`);
  for (const warning of warnings) screen.line(paint.warn(`! ${stripUnsafe(warning)}`));
}

function promptOf({ mode }: Session): string {
  return mode === 'default' ? '> ' : `${mode} > `;
}
