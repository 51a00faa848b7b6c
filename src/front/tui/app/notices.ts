/**
 * Calls a person who looks elsewhere (TU-26): for a question, and for an end of work that took a while. Once each, by the
 * terminal's bell or a notice of its own, and by the person's `Notification` hook.
 */

import type { CommandOf } from '../../../protocol/commands.js';
import type { PermissionQuestion } from '../../../protocol/permission.js';
import { shortName } from '../../questions/name-requester.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import type { KeyEvent } from '../input/key-event.js';
import { bell, type NoticeKind, notice } from '../screen/sequences.js';

export type NotifySetting = 'auto' | 'bell' | NoticeKind | 'off';

type Env = Readonly<Record<string, string | undefined>>;

/** Work that took less is still being watched. */
const LONG_WORK_MS = 30_000;
/** A terminal that does not tell its focus: so long without a key, nobody is there. */
const AWAY_MS = 30_000;

export type NoticesOptions = {
  readonly setting: () => NotifySetting;
  readonly env: Env;
  /** To the terminal. */
  readonly write: (sequence: string) => void;
  /** Runs the `Notification` hook. Must not reject. */
  readonly notify: (notice: Pick<CommandOf<'notify'>, 'title' | 'message' | 'about'>) => void;
  readonly now: () => number;
};

const TITLE = 'Coppice';

export class Notices {
  readonly #options: NoticesOptions;
  /** Undefined: the terminal does not tell. */
  #hasFocus: boolean | undefined;
  #pressedAt: number;
  #told: ReadonlySet<string> = new Set();
  #workingSince: number | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
    this.#pressedAt = options.now();
  }

  /** Every press, also those that are no keys. */
  press(event: KeyEvent): void {
    if (event.kind === 'focus') this.#hasFocus = event.has;
    else if (event.kind !== 'background') this.#pressedAt = this.#options.now();
  }

  /** All that are open: each is told of once, those that come together at once. */
  update(questions: readonly PermissionQuestion[]): void {
    const [first, ...others] = questions.filter(({ id }) => !this.#told.has(id));
    this.#told = new Set(questions.map(({ id }) => id));
    if (first === undefined) return;
    const message = `${capital(describe(first))}${others.length === 0 ? '' : ` (and ${others.length} more ask)`}`;
    this.#call(message, describeQuestion(first).form === 'fields' ? 'elicitation_dialog' : 'permission_prompt');
  }

  /** Whether the main agent is at work. */
  work(isWorking: boolean): void {
    const since = this.#workingSince;
    const now = this.#options.now();
    this.#workingSince = isWorking ? (since ?? now) : undefined;
    if (isWorking || since === undefined || now - since < LONG_WORK_MS) return;
    this.#call('The work has ended: it is your turn', 'idle_prompt');
  }

  #call(message: string, about: CommandOf<'notify'>['about']): void {
    const { setting, env, write, notify, now } = this.#options;
    if (!isAway(this.#hasFocus, now() - this.#pressedAt)) return;
    const sequence = callSequence(setting(), message, env);
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
export function callSequence(setting: NotifySetting, text: string, env: Env): string | undefined {
  const way = setting === 'auto' ? wayOf(env) : setting;
  if (way === 'off') return undefined;
  return way === 'bell' ? bell : notice(way, { title: TITLE, text }, env);
}

/** What this terminal shows as a notice, as far as it says who it is; the bell works everywhere. */
function wayOf({ TERM_PROGRAM, TERM = '', KITTY_WINDOW_ID, TMUX, STY }: Env): 'bell' | NoticeKind {
  // They may be set to hand nothing on.
  if (TMUX || STY) return 'bell';
  if (KITTY_WINDOW_ID || TERM.startsWith('xterm-kitty')) return 'osc99';
  if (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' || TERM_PROGRAM === 'ghostty') return 'osc9';
  return TERM.startsWith('foot') || TERM.startsWith('rxvt-unicode') ? 'osc777' : 'bell';
}
