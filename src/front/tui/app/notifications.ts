/**
 * Notifies a user who is away (TU-26): of a question, and of the end of long work. Once each, by the terminal's bell or
 * notification, and by the `Notification` hook.
 */

import type { CommandOf } from '../../../protocol/commands.js';
import type { PermissionQuestion } from '../../../protocol/permission.js';
import { shortName } from '../../questions/name-requester.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import type { KeyEvent } from '../input/key-event.js';
import { bell, type NotificationKind, notification } from '../screen/sequences.js';

export type NotifySetting = 'auto' | 'bell' | NotificationKind | 'off';

type Env = Readonly<Record<string, string | undefined>>;

/** Shorter work is still being watched. */
const LONG_WORK_MS = 30_000;
/** For a terminal that does not report focus: after this long without a key, nobody is there. */
const AWAY_MS = 30_000;

export type NotificationsOptions = {
  readonly setting: () => NotifySetting;
  readonly env: Env;
  /** Writes to the terminal. */
  readonly write: (sequence: string) => void;
  /** Runs the `Notification` hook. Must not reject. */
  readonly notify: (notice: Pick<CommandOf<'notify'>, 'title' | 'message' | 'about'>) => void;
  readonly now: () => number;
};

const TITLE = 'Coppice';

export class Notifications {
  readonly #options: NotificationsOptions;
  /** Undefined: the terminal does not report it. */
  #hasFocus: boolean | undefined;
  #pressedAt: number;
  #notified: ReadonlySet<string> = new Set();
  #workingSince: number | undefined;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#pressedAt = options.now();
  }

  /** Takes every key event, also those that are no keys. */
  press(event: KeyEvent): void {
    if (event.kind === 'focus') this.#hasFocus = event.has;
    else if (event.kind !== 'background') this.#pressedAt = this.#options.now();
  }

  /** Takes all open questions: each is notified once, simultaneous ones together. */
  update(questions: readonly PermissionQuestion[]): void {
    const [first, ...others] = questions.filter(({ id }) => !this.#notified.has(id));
    this.#notified = new Set(questions.map(({ id }) => id));
    if (first === undefined) return;
    const message = `${capital(describe(first))}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
    this.#call(message, describeQuestion(first).form === 'fields' ? 'elicitation_dialog' : 'permission_prompt');
  }

  /** Takes whether the main agent is running. */
  work(isWorking: boolean): void {
    const since = this.#workingSince;
    const now = this.#options.now();
    this.#workingSince = isWorking ? (since ?? now) : undefined;
    if (isWorking || since === undefined || now - since < LONG_WORK_MS) return;
    this.#call('Done. Waiting for your input', 'idle_prompt');
  }

  #call(message: string, about: CommandOf<'notify'>['about']): void {
    const { setting, env, write, notify, now } = this.#options;
    if (!isAway(this.#hasFocus, now() - this.#pressedAt)) return;
    const sequence = notificationSequence(setting(), message, env);
    if (sequence !== undefined) write(sequence);
    notify({ title: TITLE, message, about });
  }
}

function isAway(hasFocus: boolean | undefined, msWithoutKey: number): boolean {
  return hasFocus === undefined ? msWithoutKey >= AWAY_MS : !hasFocus;
}

function describe(question: PermissionQuestion): string {
  return `${shortName(question.agent)} ${describeQuestion(question).does}`;
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Undefined: the terminal stays silent. */
export function notificationSequence(setting: NotifySetting, text: string, env: Env): string | undefined {
  const way = setting === 'auto' ? supportedKind(env) : setting;
  if (way === 'off') return undefined;
  return way === 'bell' ? bell : notification(way, { title: TITLE, text }, env);
}

/** The notification this terminal supports, as far as it identifies itself; the bell works everywhere. */
function supportedKind({ TERM_PROGRAM, TERM = '', KITTY_WINDOW_ID, TMUX, STY }: Env): 'bell' | NotificationKind {
  // They may be configured to pass nothing on.
  if (TMUX || STY) return 'bell';
  if (KITTY_WINDOW_ID || TERM.startsWith('xterm-kitty')) return 'osc99';
  if (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' || TERM_PROGRAM === 'ghostty') return 'osc9';
  return TERM.startsWith('foot') || TERM.startsWith('rxvt-unicode') ? 'osc777' : 'bell';
}
