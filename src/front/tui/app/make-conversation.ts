/** Builds the parts of a conversation at the terminal. */

import { realClock } from '../../../host/clock.js';
import { listCommands } from '../../commands/commands.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import { editExternally } from '../actions/edit-draft.js';
import { InterruptKeys } from '../actions/interrupt-keys.js';
import { AgentEndLines } from '../history/agent-end-lines.js';
import { TranscriptPrinter } from '../history/transcript-printer.js';
import { CompletionMenu } from '../input/completion/completion-menu.js';
import type { KeyEvent } from '../input/key-event.js';
import { QuestionPanel } from '../panels/question-panel.js';
import { TreePanel } from '../panels/tree-panel.js';
import { Appearance } from './appearance.js';
import type { Conversation } from './conversation.js';
import { Notifications } from './notifications.js';
import { SearchPanel } from './search-panel.js';
import { TypedHistory } from './typed-history.js';
import { TypedNames } from './typed-names.js';

type Given = Pick<Conversation, 'ui' | 'host' | 'session' | 'view' | 'signal' | 'leave' | 'switchTo'>;

export function makeConversation(given: Given): Conversation {
  const { ui, host, session, view } = given;
  const typed: Conversation['typed'] = { onText: () => {}, run: () => {}, onIdle: () => {} };
  const printer = new TranscriptPrinter({
    print: (rows) => ui.print(rows),
    width: () => Math.max(1, ui.screen.size.columns - 1),
    theme: () => ui.theme,
    cwd: session.cwd,
    wholeKey: () => ui.keymap.keyOf('app:toggleTranscript'),
    // Ends of agents are batched (TU-7).
    leavesOut: (item) => item.kind === 'notice' && view.agents.has(item.agent),
  });
  const names = new TypedNames(session, () => ui.paint());
  const menu = new CompletionMenu(
    {
      commands: () => [...listCommands(), ...names.all()],
      files: () => names.files(),
      agents: () =>
        [...view.agents.values()].flatMap((agent) =>
          agent.parent === undefined ? [] : [{ name: agentLabel(agent), about: agent.description }],
        ),
    },
    () => ui.paint(),
  );
  const questions = new QuestionPanel({
    answer: (question, answer) => session.execute({ type: 'answer', question, answer }),
    toEditor: (presses: readonly KeyEvent[]) => typed.onText(presses),
    later: (ms, run) => realClock.after(ms, run),
    now: () => ui.now(),
    editText: (text) => editExternally({ ui, host }, text),
    paint: () => ui.paint(),
    onDocument: (text) => printer.tell({ kind: 'text', text }),
  });
  const history = new TypedHistory(session.history);
  return {
    ...given,
    typed,
    printer,
    menu,
    questions,
    history,
    tree: new TreePanel({
      models: session.models,
      warnAt: session.ui.agentsWarnAt,
      stopKeys: () => `${ui.keymap.keyOf('chat:killAgents')} twice`,
      keyOf: (action) => ui.keymap.keyOf(action),
    }),
    search: new SearchPanel(ui, history),
    interrupts: new InterruptKeys(),
    ends: new AgentEndLines(),
    notifications: new Notifications({
      setting: () => session.ui.notify,
      env: host.env,
      write: (sequence) => ui.screen.write(sequence),
      notify: (notice) => void session.execute({ type: 'notify', ...notice }),
      now: () => ui.now(),
    }),
    pending: {
      sending: new Map(),
      turns: new Set(),
      shells: new Map(),
      commands: [],
      isCutOff: session.past?.cutOff !== undefined,
      stashed: undefined,
      stopAskedAt: Number.NEGATIVE_INFINITY,
    },
    shown: { todos: false, isThinkingOff: false },
    appearance: new Appearance(ui, session, host),
  };
}
