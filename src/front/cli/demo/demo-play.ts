/** `demo --play`: the same session in the real terminal. The program runs in processes of its own, one of which is killed. */

import { aborted, realClock } from '../../../host/clock.js';
import type { ProcessExit } from '../../../host/processes.js';
import { runAtTerminal } from '../../../host/terminal/run-at-terminal.js';
import { RESTORE } from '../../tui/screen/controls.js';
import type { DemoCues } from './demo-scenario.js';
import { type Scene, sceneReport } from './demo-scene.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

/** So that what is killed was seen at work. */
const SEEN_MS = 2_000;

/** Resolves with the session's id, or undefined if the person has left. */
export async function playAtTerminal(
  stage: DemoStage,
  cues: DemoCues,
  screen: DemoScreen,
): Promise<string | undefined> {
  screen.line(
    'The prompts are typed by themselves. When a fork asks, answer it (1 is yes, once), or watch. Ctrl+C leaves.\n',
  );
  let killed: number | undefined;
  let session: string | undefined;
  const first = await runScene(stage, 'first', {
    onTold: (told) => {
      session = sceneReport.parse(told).mainRests;
      cues.mainRests.give();
    },
    onStart: async (end, pid) => {
      await cues.noteWaits.given;
      await realClock.sleep(SEEN_MS);
      killed = pid;
      end('SIGKILL');
    },
  });
  if (first.signal !== 'SIGKILL') return undefined;
  // Nobody was left to put the terminal in order: that is what the kill is about.
  process.stdout.write(`${RESTORE}\u001b[<u\r\n`);
  screen.line(screen.paint.bad(`kill -9 ${killed}: the file is written, the reply never came, the process is gone`));
  screen.prompt('coppice --continue', 'a new process; the fork goes on where it was');
  const second = await runScene(stage, 'second', { env: { COPPICE_RESUME_AGENTS: 'auto' } });
  return second.code === 0 ? session : undefined;
}

type SceneOptions = Pick<Parameters<typeof runAtTerminal>[0], 'onStart' | 'onTold'> & {
  readonly env?: Readonly<Record<string, string>>;
};

async function runScene({ env, repo, leave }: DemoStage, scene: Scene, options: SceneOptions): Promise<ProcessExit> {
  const [node, program = ''] = process.argv;
  // The mode of the terminal as it is now comes back afterwards, also after a kill.
  process.stdin.setRawMode(true);
  try {
    const exit = await runAtTerminal({
      file: node ?? process.execPath,
      args: [...process.execArgv, program, 'demo', '--scene', scene],
      cwd: repo,
      env: { ...env, ...terminalEnv(), ...options.env },
      onTold: options.onTold ?? (() => {}),
      onStart: (end, pid) => {
        void aborted(leave).then(() => end('SIGTERM'));
        options.onStart?.(end, pid);
      },
    });
    if (exit.error !== undefined) throw exit.error;
    return exit;
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }
}

/** What says which terminal it is, and how its person wants it. */
function terminalEnv(): Record<string, string | undefined> {
  const kept = [
    'COLORTERM',
    'TERM_PROGRAM',
    'NO_COLOR',
    'FORCE_COLOR',
    'TMUX',
    'STY',
    'SSH_TTY',
    'SSH_CONNECTION',
    'WT_SESSION',
  ];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}
