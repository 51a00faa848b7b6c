/** The demo's second part: the session runs in its own process, is killed while a child works, and is resumed. */

import { createInterface } from 'node:readline';
import { aborted, realClock } from '../../../host/clock.js';
import type { RunningProcess } from '../../../host/processes.js';
import { clip } from '../../tui/screen/width.js';
import { clockTime } from '../../view/format-numbers.js';
import type { Going } from './demo-progress.js';
import { type DemoCues, SECOND_PROMPT, THIRD_PROMPT } from './demo-scenario.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';
import { StreamNarrator } from './demo-stream.js';

export async function killAndResume(stage: DemoStage, cues: DemoCues, screen: DemoScreen): Promise<void> {
  screen.heading('2. The process is killed while a fork works; the session is resumed');
  const narrator = new StreamNarrator(screen);
  screen.prompt(SECOND_PROMPT, 'coppice --continue -p "…", another process');
  await killInTheMiddle(stage, cues, narrator, screen);
  screen.prompt(THIRD_PROMPT, 'coppice --continue -p "…"');
  const second = start(stage, THIRD_PROMPT, { COPPICE_RESUME_AGENTS: 'auto' });
  screen.goesOn(processRow('a new process goes on'));
  narrator.resumed();
  await narrate(second, narrator);
  const { code } = await second.process.exit;
  if (code !== 0) throw new Error(`the resumed session ended with ${code}: ${second.stderr()}`);
}

async function killInTheMiddle(
  stage: DemoStage,
  { noteWaits }: DemoCues,
  narrator: StreamNarrator,
  screen: DemoScreen,
): Promise<void> {
  const first = start(stage, SECOND_PROMPT);
  screen.goesOn(processRow('another process works'));
  const { pid, exit } = first.process;
  const narration = narrate(first, narrator);
  const ended = await Promise.race([noteWaits.given, exit]);
  if (ended !== undefined) throw new Error(`the session ended before it could be killed: ${first.stderr()}`);
  if (pid === undefined) throw new Error('the session has no process');
  process.kill(pid, 'SIGKILL');
  await exit;
  await narration;
  screen.aside(screen.paint.bad(`kill -9 ${pid}: the file is written, the reply never came, the process is gone`));
}

function processRow(words: string): Going {
  const since = realClock.elapsed();
  return (width, now, theme) => [clip(theme.dim(`✻ ${words} · ${clockTime(now - since)}`), width)];
}

type Started = { readonly process: RunningProcess; stderr(): string };

/** Starts this program headless, continuing the newest session of the folder. */
function start(stage: DemoStage, prompt: string, more: Readonly<Record<string, string>> = {}): Started {
  const { host, env, repo, leave } = stage;
  const [node, program = ''] = process.argv;
  const running = host.processes.start({
    file: node ?? process.execPath,
    args: [...process.execArgv, program, '-p', prompt, '--continue', '--output-format', 'stream-json'],
    cwd: repo,
    env: { ...env, ...more },
  });
  void aborted(leave).then(() => running.end(0));
  let stderr = '';
  running.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  return { process: running, stderr: () => stderr };
}

async function narrate({ process: { stdout } }: Started, narrator: StreamNarrator): Promise<void> {
  for await (const line of createInterface({ input: stdout, terminal: false })) narrator.hear(line);
}
