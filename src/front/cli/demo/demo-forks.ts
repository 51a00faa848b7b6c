/** The demo's first part: an agent reads, forks three times, asks for a permission, and gets a fork's notice. */

import { aborted, realClock } from '../../../host/clock.js';
import type { SessionEvent } from '../../../protocol/events.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { openSession } from '../../sdk/open-session.js';
import { TreePanel } from '../../tui/panels/tree-panel.js';
import { workingRows } from '../../tui/parts/working-line.js';
import { describeQuestion } from '../../view/describe/describe-question.js';
import { createView, type SessionView } from '../../view/session-view.js';
import { type DemoCues, FIRST_PROMPT } from './demo-scenario.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

const TREE_ROWS = 5;

/** Returns the session's id. */
export async function runForks(stage: DemoStage, cues: DemoCues, screen: DemoScreen): Promise<string> {
  screen.heading('1. An agent reads, then forks itself: each fork starts with the whole conversation');
  screen.prompt(FIRST_PROMPT);
  const view = createView();
  const tree = new TreePanel();
  screen.goesOn((width, now, theme) => [
    ...workingRows(view, MAIN_AGENT, { width, now, theme, interruptKey: 'ctrl+c' }),
    ...tree.rows(view, now, { width, maxRows: TREE_ROWS }, theme),
  ]);
  const opened = await openSession({
    cwd: stage.repo,
    env: stage.env,
    permissionMode: 'acceptEdits',
    onPermission: (question) => answer(question, view, screen),
    onEvent: (sessionEvent) => {
      view.apply(sessionEvent, realClock.elapsed());
      show(sessionEvent, view, screen);
    },
  });
  if (!opened.ok) throw new Error(opened.reason);
  const { session } = opened;
  void aborted(stage.leave).then(() => session.close());
  try {
    const end = await session.send(FIRST_PROMPT);
    if (end.reason !== 'completed') throw new Error(end.line ?? end.reason);
    cues.mainRests.give();
    const { end: last } = await session.settled();
    if (last?.reason !== 'completed') throw new Error(last?.line ?? 'the notice of the audit never came');
  } finally {
    screen.goesOn(() => []);
    await session.close();
  }
  return session.id;
}

/** Shows the question as a person would see it, and the demo's answer. */
async function answer(question: PermissionQuestion, view: SessionView, screen: DemoScreen): Promise<PermissionAnswer> {
  const who = nameOf(view, question.agent.id);
  const lines = await describeQuestion(question);
  const input = lines.find(({ kind }) => kind === 'input')?.text.replace(/^ +\| /, '') ?? '';
  screen.says(who, screen.paint.warn(`asks you: may I run  ${input}  ?`));
  screen.aside('you: yes, once');
  return { behavior: 'allow' };
}

function show({ agent, event }: SessionEvent, view: SessionView, screen: DemoScreen): void {
  const who = nameOf(view, agent);
  switch (event.kind) {
    case 'agent-spawned':
      screen.forked(who, event.background, event.worktree?.branch);
      return;
    case 'call-started':
      // A fork is shown once it is spawned, a command when it is asked about; git needs no question in a worktree.
      if (event.tool !== 'Agent' && !isCommand(event.tool, event.input)) screen.acts(who, event.tool, event.input);
      return;
    case 'assistant-replied':
      if (agent !== MAIN_AGENT) return;
      for (const block of event.blocks.map(parseBlock)) if (block.type === 'text') screen.says(who, block.text);
      return;
    case 'result-made':
      screen.reports(who, event.text);
      return;
    case 'input-admitted':
      if (event.notice)
        screen.says(who, screen.paint.good(`gets a notice: ${nameOf(view, event.notice.agent)} has ended`));
      return;
    default:
  }
}

function isCommand(tool: string, input: unknown): boolean {
  return tool === 'Bash' && !/"command":"git /.test(JSON.stringify(input));
}

function nameOf({ agents }: SessionView, id: string): string {
  const agent = agents.get(id);
  return agent?.name ?? agent?.type ?? id;
}
