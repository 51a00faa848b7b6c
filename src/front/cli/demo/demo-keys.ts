/** The key scripts of `demo --play`, and the scene that plays one: the real program at your terminal, with a script at its keys. */

import { MAIN_AGENT } from '../../../protocol/events.js';
import type { Session } from '../../sdk/session.js';
import { runTerminal } from '../terminal/run-terminal.js';
import { PROMPTS } from './demo-scenario.js';
import { PlayedInput } from './played-input.js';

/** Time to read a line, or a screen. */
const LINE_MS = 1_200;
const SCREEN_MS = 2_500;

const [ENTER, DOWN, ESC] = ['\r', '\u001b[B', '\u001b'];

type Step =
  | { readonly rest: number }
  | { readonly keys: readonly string[] }
  | { readonly type: string }
  /** Types it and waits for the end of the turn. */
  | { readonly prompt: string }
  /** Reports to the demo that the main agent has finished while the audit runs, and waits for the turn of its notice. */
  | { readonly report: 'mainRests' };

const SCRIPTS = {
  first: [
    { prompt: PROMPTS.first },
    { rest: LINE_MS },
    // The audit is still running: the tree, and the last of those that are done, which is the one with the fix.
    { keys: [DOWN, DOWN, DOWN, ENTER] },
    { rest: SCREEN_MS },
    { keys: [ESC, ESC] },
    { report: 'mainRests' },
    { rest: SCREEN_MS },
    // The process is killed during this turn.
    { prompt: PROMPTS.second },
  ],
  second: [{ rest: LINE_MS }, { prompt: PROMPTS.third }, { rest: SCREEN_MS }, { type: '/exit' }, { keys: [ENTER] }],
} as const satisfies Readonly<Record<string, readonly Step[]>>;

export type Scene = keyof typeof SCRIPTS;

export async function playScene(scene: Scene): Promise<number> {
  const input = new PlayedInput(process.stdin);
  const code = await runTerminal(
    undefined,
    {
      outputFormat: 'text',
      inputFormat: 'text',
      permissionMode: 'acceptEdits',
      backgroundWait: 0,
      continue: scene === 'second',
    },
    {
      input: input as unknown as NodeJS.ReadStream,
      onSession: (session) => {
        input.answerQuestions(session);
        void playScript(SCRIPTS[scene], session, input);
      },
    },
  );
  input.end();
  return code;
}

async function playScript(script: readonly Step[], session: Session, input: PlayedInput): Promise<void> {
  for (const step of script) {
    if ('rest' in step) await input.rest(step.rest);
    else if ('keys' in step) await input.press(step.keys, LINE_MS / 2);
    else if ('type' in step) await input.type(step.type);
    else if ('prompt' in step) {
      await input.rest(LINE_MS);
      await input.type(step.prompt);
      await input.rest(LINE_MS / 2);
      const ended = mainEnds(session);
      await input.press([ENTER]);
      await ended;
    } else {
      const ended = mainEnds(session);
      process.send?.(session.id);
      await ended;
    }
  }
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
