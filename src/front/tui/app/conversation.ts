/** A session at the terminal: everything that keys and events act on, passed as a whole. */

import type { Host } from '../../../host/host.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { TerminalParts } from '../../commands/command-context.js';
import type { Session } from '../../sdk/session.js';
import { type AgentView, isActive } from '../../view/agent-view.js';
import type { SessionView } from '../../view/session-view.js';
import type { InterruptKeys } from '../actions/interrupt-keys.js';
import type { AgentEndLines } from '../history/agent-end-lines.js';
import type { TranscriptPrinter } from '../history/transcript-printer.js';
import type { CompletionMenu } from '../input/completion/completion-menu.js';
import type { Draft } from '../input/editor/text-buffer.js';
import type { KeyEvent } from '../input/key-event.js';
import type { QuestionPanel } from '../panels/question-panel.js';
import type { TreePanel } from '../panels/tree-panel.js';
import type { Notifications } from './notifications.js';
import type { SearchPanel } from './search-panel.js';
import type { TypedHistory } from './typed-history.js';
import type { Ui } from './ui.js';

export type Conversation = {
  readonly ui: Ui;
  readonly host: Host;
  readonly session: Session;
  readonly view: SessionView;
  readonly printer: TranscriptPrinter;
  readonly tree: TreePanel;
  readonly questions: QuestionPanel;
  readonly menu: CompletionMenu;
  readonly history: TypedHistory;
  readonly search: SearchPanel;
  readonly interrupts: InterruptKeys;
  readonly ends: AgentEndLines;
  readonly notifications: Notifications;
  /** Input as if typed: key events that turned out to be text, and commands that a page runs. */
  readonly typed: {
    onText: (presses: readonly KeyEvent[]) => void;
    run: (line: string) => void;
    /** Runs what waited for the end of a prompt's run. */
    onIdle: () => void;
  };
  readonly pending: Pending;
  readonly shown: Shown;
  readonly appearance: TerminalParts;
  /** Aborts when the conversation is left. */
  readonly signal: AbortSignal;
  readonly leave: (code: number) => void;
  /** Continues in another session. Resolves with the reason if it can't be opened. */
  readonly switchTo: (session: string, as: 'copy' | 'other') => Promise<string | undefined>;
};

/** Messages that are not recorded yet, and commands that wait for the end of the turn. */
export type Pending = {
  /** Prompts being sent, by key: hooks may take their time. */
  readonly sending: Map<string, string>;
  /** Prompts sent, until their turns end. */
  readonly turns: Set<Promise<unknown>>;
  /** The user's running shell commands, by call. */
  readonly shells: Map<string, string>;
  /** Commands that can't run during a turn. */
  readonly commands: string[];
  /** True if the session was resumed in the middle of its work and nothing was sent since: Enter alone continues it. */
  isCutOff: boolean;
  /** A stashed draft (Ctrl+S). */
  stashed: Draft | undefined;
  /** Time of the first press to stop everything in the background. */
  stopAskedAt: number;
};

/** Display choices of the user. */
export type Shown = {
  todos: boolean;
  isThinkingOff: boolean;
};

export function mainOf({ view }: Pick<Conversation, 'view'>): AgentView | undefined {
  return view.agents.get(MAIN_AGENT);
}

export function isWorking({ view, pending }: Pick<Conversation, 'view' | 'pending'>): boolean {
  return pending.sending.size > 0 || mainOf({ view })?.status === 'running';
}

/** The agents that the main agent waits for: an interruption ends their turns, too. */
export function awaitedAgents({ view }: Pick<Conversation, 'view'>): readonly AgentView[] {
  return [...view.agents.values()].filter((agent) => !agent.background && isActiveChild(agent));
}

/** The number of running agents and commands besides the main agent: exiting would interrupt them. */
export function countRunningTasks({ view }: Pick<Conversation, 'view'>): number {
  const shells = [...view.shells.values()].filter(({ status }) => status === 'running');
  return [...view.agents.values()].filter(isActiveChild).length + shells.length;
}

export function isActiveChild({ parent, status }: AgentView): boolean {
  return parent !== undefined && isActive(status);
}
