/** A scene of `demo --play`, in a process of its own: the real program at the person's terminal, with a script at its keys. */

import * as z from 'zod';
import { realClock } from '../../../host/clock.js';
import { MAIN_AGENT, type SessionEvent } from '../../../protocol/events.js';
import type { Session } from '../../sdk/session.js';
import type { Flags } from '../flags.js';
import { runTerminal } from '../terminal/run-terminal.js';
import { FIRST_PROMPT, SECOND_PROMPT, THIRD_PROMPT } from './demo-scenario.js';
import { PlayEnded, PlayedKeys } from './played-keys.js';

export type Scene = 'first' | 'second';

/** What a scene tells the demo: the main agent has finished while the audit works, in which session. */
export const sceneReport = z.object({ mainRests: z.string() });

/** As long as a line or a screen takes to be read. */
const LINE_MS = 1_200;
const SCREEN_MS = 2_500;
/** Until the question is answered for the person. */
const ANSWER_MS = 3_000;

const KEY = { enter: '\r', down: '\u001b[B', esc: '\u001b' } as const;

export async function playScene(scene: Scene): Promise<number> {
  const flags: Flags = {
    outputFormat: 'text',
    inputFormat: 'text',
    permissionMode: 'acceptEdits',
    backgroundWait: 0,
    continue: scene === 'second',
  };
  const keys = new PlayedKeys(process.stdin);
  const onSession = (session: Session) => {
    const play = scene === 'first' ? playFirst : playSecond;
    void play(session, keys).catch(ignoreEnd);
  };
  const code = await runTerminal(undefined, flags, { input: keys as unknown as NodeJS.ReadStream, onSession });
  keys.end();
  return code;
}

async function playFirst(session: Session, keys: PlayedKeys): Promise<void> {
  answerQuestions(session, keys);
  await send(session, keys, FIRST_PROMPT);
  await keys.rest(LINE_MS);
  // The audit still works: the tree, and the last of those that are done, which is the one that mended.
  for (const key of [KEY.down, KEY.down, KEY.down, KEY.enter]) await press(keys, key, LINE_MS / 2);
  await keys.rest(SCREEN_MS);
  for (const key of [KEY.esc, KEY.esc]) await press(keys, key, LINE_MS / 2);
  const heard = mainEnds(session);
  process.send?.({ mainRests: session.id } satisfies z.infer<typeof sceneReport>);
  await heard;
  await keys.rest(SCREEN_MS);
  // The process is killed during this turn.
  await send(session, keys, SECOND_PROMPT);
}

async function playSecond(session: Session, keys: PlayedKeys): Promise<void> {
  await keys.rest(LINE_MS);
  await send(session, keys, THIRD_PROMPT);
  await keys.rest(SCREEN_MS);
  await keys.type('/exit');
  await press(keys, KEY.enter);
}

/** Types a prompt. Resolves when the turn has ended. */
async function send(session: Session, keys: PlayedKeys, prompt: string): Promise<void> {
  await keys.rest(LINE_MS);
  await keys.type(prompt);
  await keys.rest(LINE_MS / 2);
  const ended = mainEnds(session);
  await press(keys, KEY.enter);
  await ended;
}

async function press(keys: PlayedKeys, key: string, pauseMs = 0): Promise<void> {
  keys.push(key);
  await keys.rest(pauseMs);
}

function mainEnds(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.watch(({ agent, event }) => {
      if (agent !== MAIN_AGENT || event.kind !== 'run-ended') return;
      stop();
      resolve();
    });
  });
}

/** The person's keys count while a question is open. If there are none, it is answered as they might have. */
function answerQuestions(session: Session, keys: PlayedKeys): void {
  session.watch(({ event }: SessionEvent) => {
    if (event.kind === 'question-settled') keys.isOpen = session.questions().length > 0;
    if (event.kind !== 'question-asked') return;
    keys.isOpen = true;
    const since = realClock.elapsed();
    const answer = () => {
      const isOpen = session.questions().some(({ id }) => id === event.question.id);
      if (isOpen && !keys.hasPressedSince(since)) keys.push('1');
    };
    void keys.rest(ANSWER_MS).then(answer).catch(ignoreEnd);
  });
}

function ignoreEnd(error: unknown): void {
  if (!(error instanceof PlayEnded)) throw error;
}
