/**
 * `/mode`, `/plan`, `/model`, `/rename` and `/status`: what the session is, and changing it. `/theme` and `/vim`: how the
 * terminal looks and takes keys. `/exit`.
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { ALIASES, isKnownModel } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/permission.js';
import { nearestNames } from '../../../tools/nearest-names.js';
import type { Session } from '../../sdk/session.js';
import { isUnderWay } from '../../view/agent-view.js';
import { figures } from '../../view/describe/describe-agents.js';
import type { CommandContext } from '../command-context.js';

type Context = { readonly session: Session; readonly say: (line: string) => void };

export async function changeMode({ session, say }: Context, argument: string): Promise<void> {
  if (argument === '') return say(`${session.mode} (available: ${session.modes.join(', ')})`);
  const known = PERMISSION_MODES.find((one) => one.toLowerCase() === argument.toLowerCase());
  let isShown = false;
  const unwatch = session.watch(({ agent, event }) => {
    if (agent === MAIN_AGENT && event.kind === 'mode-changed') isShown = true;
  });
  const done = await session.execute({ type: 'set-mode', mode: known ?? (argument as PermissionMode) });
  unwatch();
  if (!done.ok) say(stripControls(done.reason));
  else if (!isShown) say(`mode: ${session.mode}${whenInForce(session)}`);
}

/** The words are sent once it is in plan mode. */
export async function startPlan({ session, say, send }: Context & Pick<CommandContext, 'send'>, words: string) {
  if (session.mode !== 'plan') {
    const done = await session.execute({ type: 'set-mode', mode: 'plan' });
    if (!done.ok) return say(stripControls(done.reason));
  }
  if (words !== '') return send(words);
  say(`mode: plan${whenInForce(session)}. Say what is to be planned; /mode default ends it.`);
}

export async function changeModel({ session, say }: Context, argument: string): Promise<void> {
  const names = [...Object.keys({ ...ALIASES, ...session.models.aliases }), 'opusplan'];
  if (argument === '') return say(`${session.model} (short names: ${names.join(', ')}; or any full id)`);
  const before = session.model;
  const done = await session.execute({ type: 'set-model', model: argument });
  if (!done.ok) return say(stripControls(done.reason));
  const { model } = session;
  say(
    model === before
      ? `model: ${stripControls(model)}, as before`
      : `model: ${stripControls(model)}${whenInForce(session)}`,
  );
  if (isKnownModel(model, session.models)) return;
  const [nearest] = nearestNames(argument, names, 1);
  say(
    `! this version does not know ${stripControls(model)}: it is used as it is, and its cost is unknown` +
      (nearest === undefined ? '' : `. Did you mean /model ${nearest}?`),
  );
}

export async function rename({ session, say }: Context, argument: string): Promise<void> {
  if (argument === '') return say(session.name === undefined ? NO_NAME : `name: ${stripControls(session.name)}`);
  const done = await session.execute({ type: 'rename', name: argument });
  say(done.ok ? `name: ${stripControls(session.name ?? argument)}` : `The name stays: ${stripControls(done.reason)}`);
}

const NO_NAME = 'It has no name: /rename NAME gives it one.';

/** A switch counts from the next safe point on. */
function whenInForce(session: Session): string {
  return mainOf(session)?.status === 'running' ? ' (from its next step on)' : '';
}

export function showStatus({ session, say }: Context): void {
  const main = mainOf(session);
  const children = session.snapshot().filter(({ parent }) => parent !== undefined);
  const questions = session.questions().length;
  const lines = [
    `Session ${session.id} in ${session.cwd}`,
    `  ${describeKept(session)}`,
    ...(session.name === undefined ? [] : [`  name: ${session.name}`]),
    `  model ${session.model}, mode ${session.mode}`,
    main === undefined ? '  main agent: has not begun' : `  main agent: ${main.status} · ${figures(main).join(' · ')}`,
    `  agents: ${countByStatus(children.map(({ status }) => status))}`,
    ...(questions === 0 ? [] : [`  questions that wait: ${questions}`]),
  ];
  for (const line of lines) say(stripControls(line));
}

function describeKept({ isKept, isSaved, transcript }: Session): string {
  if (!isKept) return 'nothing of it is kept when it ends';
  return isSaved ? `transcript: ${transcript}` : 'nothing is saved yet: no prompt was sent';
}

function mainOf(session: Session) {
  return session.snapshot().find(({ parent, depth }) => parent === undefined && depth === 0);
}

function countByStatus(statuses: readonly string[]): string {
  if (statuses.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return `${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')} (/tasks)`;
}

export function changeTheme({ say, ui }: CommandContext, name: string): void {
  if (ui === undefined) say('Themes are of the terminal: start coppice without --plain. NO_COLOR=1 has none.');
  else say(ui.theme(...(name === '' ? [] : [name])));
}

export function switchVim({ say, ui }: CommandContext): void {
  if (ui === undefined) say("vim's keys are of the terminal's editor: start coppice without --plain.");
  else say(ui.vim() ? "vim's keys: on (Esc: normal mode; /vim switches them off)" : "vim's keys: off");
}

/** Leaving interrupts running agents, so it asks first. */
export async function leaveSession({ session, ask, say, leave }: CommandContext): Promise<void> {
  const count = session.tasks().filter(({ status }) => isUnderWay(status)).length;
  if (count === 0) return leave();
  const what = plural(count, 'is at work, and is interrupted', 'are at work, and are interrupted');
  const answer = await ask(`${what} by that (they can be resumed). Leave? (y/n)`);
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return leave();
  say('You stay.');
}
