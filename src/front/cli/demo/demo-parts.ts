/**
 * The demo line by line, in two parts: an agent reads, forks three times, asks for a permission and gets a fork's notice;
 * then the session runs in its own process, is killed while a fork works, and is resumed.
 */

import { createInterface } from 'node:readline';
import { aborted, realClock } from '../../../host/clock.js';
import type { RunningProcess } from '../../../host/processes.js';
import { MAIN_AGENT, type SessionEvent } from '../../../protocol/events.js';
import { clockTime } from '../../../protocol/format-numbers.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import type { PermissionQuestion } from '../../../protocol/permission.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import { openSession } from '../../sdk/open-session.js';
import { TreePanel } from '../../tui/panels/tree-panel.js';
import { workingRows } from '../../tui/parts/working-line.js';
import { clip } from '../../tui/screen/width.js';
import { createView, type SessionView } from '../../view/session-view.js';
import { PROMPTS } from './demo-scenario.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

const TREE_ROWS = 5;

/** Returns the session's id. */
export async function runForks({ repo, host, cues, leave }: DemoStage, screen: DemoScreen): Promise<string> {
  screen.heading('1. An agent reads, then forks itself: each fork starts with the whole conversation');
  screen.prompt(PROMPTS.first);
  const view = createView();
  const tree = new TreePanel();
  screen.showLive((width, now, theme) => [
    ...workingRows(view, MAIN_AGENT, { width, now, theme, interruptKey: 'ctrl+c' }),
    ...tree.rows(view, now, { width, maxRows: TREE_ROWS }, theme),
  ]);
  const opened = await openSession({
    cwd: repo,
    env: host.env,
    permissionMode: 'acceptEdits',
    onPermission: async (question) => {
      await showQuestion(question, view, screen);
      return { behavior: 'allow' };
    },
    onEvent: (sessionEvent) => {
      view.apply(sessionEvent, realClock.elapsed());
      showEvent(sessionEvent, view, screen);
    },
  });
  if (!opened.ok) throw new Error(opened.reason);
  const { session } = opened;
  void aborted(leave).then(() => session.close());
  try {
    const end = await session.send(PROMPTS.first);
    if (end.reason !== 'completed') throw new Error(end.line ?? end.reason);
    cues.mainRests.give();
    const { end: last } = await session.settled();
    if (last?.reason !== 'completed') throw new Error(last?.line ?? 'the notice of the audit never arrived');
  } finally {
    screen.showLive();
    await session.close();
  }
  return session.id;
}

/** Shows the question as you would see it, and the demo's answer. */
async function showQuestion(question: PermissionQuestion, view: SessionView, screen: DemoScreen): Promise<void> {
  const lines = await describeQuestion(question).lines();
  const input = lines.find(({ kind }) => kind === 'input')?.text.replace(/^ +\| /, '') ?? '';
  screen.says(nameOf(view, question.agent.id), screen.paint.warn(`asks you: may I run  ${input}  ?`));
  screen.aside('you: yes, once');
}

function showEvent({ agent, event }: SessionEvent, view: SessionView, screen: DemoScreen): void {
  const who = nameOf(view, agent);
  if (event.kind === 'agent-spawned') screen.forked(who, event.background, event.worktree?.branch);
  // A fork is shown once it is spawned, a command when it is asked about; git needs no question in a worktree.
  else if (event.kind === 'call-started' && event.tool !== 'Agent' && !isCommand(event.tool, event.input))
    screen.acts(who, event.tool, event.input);
  else if (event.kind === 'assistant-replied' && agent === MAIN_AGENT) {
    for (const block of event.blocks.map(parseBlock)) if (block.type === 'text') screen.says(who, block.text);
  } else if (event.kind === 'result-made') screen.reports(who, event.text);
  else if (event.kind === 'input-admitted' && event.notice)
    screen.says(who, screen.paint.good(`gets a notice: ${nameOf(view, event.notice.agent)} is done`));
}

function isCommand(tool: string, input: unknown): boolean {
  return tool === 'Bash' && !/"command":"git /.test(JSON.stringify(input));
}

function nameOf({ agents }: SessionView, id: string): string {
  const agent = agents.get(id);
  return agent?.name ?? agent?.type ?? id;
}

export async function killAndResume(stage: DemoStage, screen: DemoScreen): Promise<void> {
  const { noteWaits } = stage.cues;
  /** Names of forks, by the call that started each. */
  const forks = new Map<string, string>();
  screen.heading('2. The process is killed while a fork works; the session is resumed');
  screen.prompt(PROMPTS.second, 'coppice --continue -p "…", another process');
  const first = startHeadless(stage, PROMPTS.second);
  showClock(screen, 'another process works');
  const shown = showLines(first.process, forks, screen);
  const ended = await Promise.race([noteWaits.given, first.process.exit]);
  const { pid } = first.process;
  if (ended !== undefined || pid === undefined)
    throw new Error(`the session ended before it could be killed: ${first.stderr()}`);
  process.kill(pid, 'SIGKILL');
  await first.process.exit;
  await shown;
  screen.aside(describeKill(pid, screen));
  screen.prompt(PROMPTS.third, 'coppice --continue -p "…"');
  const second = startHeadless(stage, PROMPTS.third);
  showClock(screen, 'a new process continues');
  for (const name of forks.values()) screen.says(name, screen.paint.good('resumed'));
  await showLines(second.process, forks, screen);
  const { code } = await second.process.exit;
  if (code !== 0) throw new Error(`the resumed session ended with ${code}: ${second.stderr()}`);
}

export function describeKill(pid: number, { paint }: DemoScreen): string {
  return paint.bad(`kill -9 ${pid}: the file is written, the reply never arrived, the process is gone`);
}

/** Starts this program headless; it continues the newest session of the folder, and the agents that were interrupted. */
function startHeadless({ host, leave, program }: DemoStage, prompt: string) {
  const running = host.processes.start(program('-p', prompt, '--continue', '--output-format', 'stream-json'));
  void aborted(leave).then(() => running.end(0));
  let stderr = '';
  running.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  return { process: running, stderr: () => stderr };
}

function showClock(screen: DemoScreen, text: string): void {
  const since = realClock.elapsed();
  screen.showLive((width, now, theme) => [clip(theme.dim(`✻ ${text} · ${clockTime(now - since)}`), width)]);
}

/** The parts of a stream-json line that are shown. */
type Line = {
  readonly type: string;
  readonly parent_tool_use_id: string | null;
  readonly message: { readonly content: readonly Block[] };
};
type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: { readonly name?: string };
    };

async function showLines({ stdout }: RunningProcess, forks: Map<string, string>, screen: DemoScreen): Promise<void> {
  for await (const text of createInterface({ input: stdout, terminal: false })) {
    const line = JSON.parse(text) as Line;
    if (line.type !== 'assistant') continue;
    const who = line.parent_tool_use_id === null ? 'main' : (forks.get(line.parent_tool_use_id) ?? 'child');
    for (const block of line.message.content) {
      // Every report of a fork starts like this.
      if (block.type === 'text' && block.text.startsWith('Scope:')) screen.reports(who, block.text);
      else if (block.type === 'text') screen.says(who, block.text);
      else if (block.type === 'tool_use' && block.name === 'Agent') {
        forks.set(block.id, String(block.input.name));
        screen.forked(String(block.input.name));
      } else if (block.type === 'tool_use') screen.acts(who, block.name, block.input);
    }
  }
}
