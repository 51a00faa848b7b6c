/** A session at the terminal: everything that keys and events act on. Who acts on it takes it as a whole. */

import type { Host } from '../../../host/host.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { TerminalParts } from '../../commands/command-context.js';
import type { Session } from '../../sdk/session.js';
import { type AgentView, isUnderWay } from '../../view/agent-view.js';
import type { SessionView } from '../../view/session-view.js';
import type { InterruptKeys } from '../actions/interrupt-keys.js';
import type { AgentEndLines } from '../history/agent-end-lines.js';
import type { TranscriptPrinter } from '../history/transcript-printer.js';
import type { CompletionMenu } from '../input/completion/completion-menu.js';
import type { Draft } from '../input/editor/text-buffer.js';
import type { KeyEvent } from '../input/key-event.js';
import type { QuestionPanel } from '../panels/question-panel.js';
import type { TreePanel } from '../panels/tree-panel.js';
import type { Notices } from './notices.js';
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
  readonly notices: Notices;
  /** As if it had been typed: presses that turned out to be text, and commands that a page runs. */
  readonly typed: {
    onText: (presses: readonly KeyEvent[]) => void;
    run: (line: string) => void;
    /** The work of a prompt has ended: what waited for that is done. */
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

/** What was sent and is not on record yet, and what waits for the end of the turn. */
export type Pending = {
  /** Prompts on their way, by their key: hooks may take their time. */
  readonly sending: Map<string, string>;
  /** Prompts that were sent, until their turns have ended. */
  readonly turns: Set<Promise<unknown>>;
  /** Shell lines of the person's that run: the command by its call. */
  readonly shells: Map<string, string>;
  /** Commands that can't run during a turn. */
  readonly commands: string[];
  /** Whether the session was resumed in the middle of its work, and nothing was said since: Enter alone goes on. */
  isCutOff: boolean;
  /** A draft that was put away (Ctrl+S). */
  stashed: Draft | undefined;
  /** When it was asked whether everything in the background is to be stopped. */
  stopAskedAt: number;
};

/** What the person wants to see. */
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
export function waitedFor({ view }: Pick<Conversation, 'view'>): readonly AgentView[] {
  return [...view.agents.values()].filter((agent) => !agent.background && isChildAtWork(agent));
}

/** The agents and commands at work beside the main agent: leaving would interrupt them. */
export function atWorkBehind({ view }: Pick<Conversation, 'view'>): number {
  const shells = [...view.shells.values()].filter(({ status }) => status === 'running');
  return [...view.agents.values()].filter(isChildAtWork).length + shells.length;
}

export function isChildAtWork({ parent, status }: AgentView): boolean {
  return parent !== undefined && isUnderWay(status);
}
