/**
 * `/mode`, `/plan`, `/model`, `/rename` and `/status`: show and change the session. `/theme` and `/vim`: appearance and
 * keys of the terminal. `/exit`.
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { ALIASES, isKnownModel } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/permission.js';
import { nearestNames } from '../../../tools/nearest-names.js';
import type { Session } from '../../sdk/session.js';
import { isActive } from '../../view/agent-view.js';
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
  else if (!isShown) say(`mode: ${session.mode}${whenEffective(session)}`);
}

/** Switches to plan mode, then sends the text. */
export async function startPlan({ session, say, send }: Context & Pick<CommandContext, 'send'>, text: string) {
  if (session.mode !== 'plan') {
    const done = await session.execute({ type: 'set-mode', mode: 'plan' });
    if (!done.ok) return say(stripControls(done.reason));
  }
  if (text !== '') return send(text);
  say(`mode: plan${whenEffective(session)}. Describe what to plan; /mode default leaves it.`);
}

export async function changeModel({ session, say }: Context, argument: string): Promise<void> {
  const names = [...Object.keys({ ...ALIASES, ...session.models.aliases }), 'opusplan'];
  if (argument === '') return say(`${session.model} (aliases: ${names.join(', ')}; or any full id)`);
  const before = session.model;
  const done = await session.execute({ type: 'set-model', model: argument });
  if (!done.ok) return say(stripControls(done.reason));
  const { model } = session;
  say(
    model === before
      ? `model: ${stripControls(model)} (unchanged)`
      : `model: ${stripControls(model)}${whenEffective(session)}`,
  );
  if (isKnownModel(model, session.models)) return;
  const [nearest] = nearestNames(argument, names, 1);
  say(
    `! Unknown model ${stripControls(model)}: it is used as given, and its cost is unknown` +
      (nearest === undefined ? '' : `. Did you mean /model ${nearest}?`),
  );
}

export async function rename({ session, say }: Context, argument: string): Promise<void> {
  if (argument === '') return say(session.name === undefined ? NO_NAME : `name: ${stripControls(session.name)}`);
  const done = await session.execute({ type: 'rename', name: argument });
  say(done.ok ? `name: ${stripControls(session.name ?? argument)}` : `Not renamed: ${stripControls(done.reason)}`);
}

const NO_NAME = 'No name yet. Set one with /rename NAME.';

/** A switch takes effect at the next safe point. */
function whenEffective(session: Session): string {
  return mainOf(session)?.status === 'running' ? ' (from the next step)' : '';
}

export function showStatus({ session, say }: Context): void {
  const main = mainOf(session);
  const children = session.snapshot().filter(({ parent }) => parent !== undefined);
  const questions = session.questions().length;
  const lines = [
    `Session ${session.id} in ${session.cwd}`,
    `  ${describeStorage(session)}`,
    ...(session.name === undefined ? [] : [`  name: ${session.name}`]),
    `  model ${session.model}, mode ${session.mode}`,
    main === undefined ? '  main agent: not started' : `  main agent: ${main.status} · ${figures(main).join(' · ')}`,
    `  agents: ${countByStatus(children.map(({ status }) => status))}`,
    ...(questions === 0 ? [] : [`  open questions: ${questions}`]),
  ];
  for (const line of lines) say(stripControls(line));
}

function describeStorage({ isKept, isSaved, transcript }: Session): string {
  if (!isKept) return 'not saved: it is deleted when it ends';
  return isSaved ? `transcript: ${transcript}` : 'not saved yet: no prompt was sent';
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
  if (ui === undefined)
    say('Themes need the terminal view: start coppice without --plain. NO_COLOR=1 turns colours off.');
  else say(ui.theme(...(name === '' ? [] : [name])));
}

export function switchVim({ say, ui }: CommandContext): void {
  if (ui === undefined) say('Vim keys need the terminal view: start coppice without --plain.');
  else say(ui.vim() ? 'vim keys: on (Esc: normal mode; /vim turns them off)' : 'vim keys: off');
}

/** Asks first if tasks are running: leaving interrupts them. */
export async function leaveSession({ session, ask, say, leave }: CommandContext): Promise<void> {
  const count = session.tasks().filter(({ status }) => isActive(status)).length;
  if (count === 0) return leave();
  const them = count === 1 ? 'it' : 'them';
  const effect = `${plural(count, 'running task')} will be interrupted; you can resume ${them} later.`;
  const answer = await ask(`${effect} Leave? (y/n)`);
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return leave();
  say('Not leaving.');
}
