/** Prints a session as JSON lines on stdout: its description, then every event. */

import { realClock } from '../../host/clock.js';
import { newRandomId } from '../../host/node-host.js';
import type { Session } from '../sdk/session.js';
import { typedCommands } from '../sdk/typed-commands.js';
import type { SessionView } from '../view/session-view.js';
import { initLine } from '../view/stream-json/init-line.js';
import { streamJson } from '../view/stream-json/stream-json.js';
import { taskLines, taskProgress } from '../view/stream-json/task-line.js';
import type { Flags } from './flags.js';
import { followSession, type Show } from './follow-session.js';
import { whenRead } from './lost-output.js';

export function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Prints every event. Returns the view that the lines are made from. */
export function printEvents(session: Session, flags: Flags): SessionView {
  const now = () => realClock.now();
  const partial = flags.includePartialMessages === true;
  const options = { session: session.id, newId: newRandomId, now, partial };
  const printTask = (task: object) => printLine({ ...task, session_id: session.id, uuid: newRandomId() });
  const show: Show = (view, sessionEvent) => {
    for (const line of streamJson(view, sessionEvent, options)) printLine(line);
    for (const line of taskLines(view, sessionEvent, now())) printTask(line);
  };
  const showProgress: Show = (view, sessionEvent, elapsed) => {
    const progress = taskProgress(view, sessionEvent, { now: elapsed, models: session.models, session: session.id });
    if (progress !== undefined) printTask(progress);
  };
  return followSession(session, show, showProgress, whenRead);
}

/** Prints the description of the session before its first prompt. Waits for its servers, as the first request does. */
export async function printInit(session: Session, flags: Flags): Promise<void> {
  await session.servers();
  const listed = await session.execute({ type: 'skills' });
  const found = await session.execute({ type: 'facts' });
  // A closing session has nothing to describe.
  if (!found.ok) return;
  const prompts = await session.execute({ type: 'server-prompts' });
  const skills = listed.ok ? listed.skills : [];
  const commands = [
    ...typedCommands(session),
    ...skills.filter(({ forPerson }) => forPerson),
    ...(prompts.ok ? prompts.prompts : []),
  ];
  const { id, cwd, model, mode, outputStyle } = session;
  const init = {
    session: id,
    cwd,
    model,
    mode,
    outputStyle,
    tools: session.tools.map((tool) => tool.name),
    servers: session.serverReports(),
    commands: commands.map(({ name }) => name),
    skills,
    betas: flags.betas ?? [],
    facts: found.facts,
  };
  printLine(initLine(init, newRandomId()));
}
