/** A question panel with a stopped clock and an editor that records its input. */

import type { KeyEvent } from '../../../../../src/front/tui/input/key-event.js';
import { QuestionPanel } from '../../../../../src/front/tui/panels/question-panel.js';
import type { Theme } from '../../../../../src/front/tui/theme/theme.js';
import { choosePaint } from '../../../../../src/front/view/paint.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../../../src/protocol/permission.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { until } from '../../../../support/until.js';

const asItIs = (text: string) => text;

/** Without colours. */
export const bare: Theme = {
  ...choosePaint(false),
  italic: asItIs,
  underline: asItIs,
  strike: asItIs,
  accent: asItIs,
  user: asItIs,
  heading: asItIs,
  code: asItIs,
  link: asItIs,
  added: asItIs,
  removed: asItIs,
  chosen: asItIs,
  token: (_kind, text) => text,
};

/** About a call, unless `more` differs. */
export function ask(id: string, more: Partial<PermissionQuestion> = {}): PermissionQuestion {
  const question = {
    id,
    agent: { id: 'main', type: 'main', depth: 0 },
    call: { id: `c-${id}`, tool: 'Bash', input: { command: 'npm test' } },
    cwd: '/p',
    reason: 'it is not known to be read-only',
    destroys: [],
    offers: [],
    ...more,
  };
  // `more` has all the fields of its kind, or none of them.
  return question as PermissionQuestion;
}

export function fork(id: string, worktree?: string): PermissionQuestion['agent'] {
  const path = `/p/.wt/${worktree}`;
  return {
    id,
    type: 'fork',
    name: id,
    depth: 1,
    ...(worktree ? { worktree: { name: worktree, path, branch: worktree } } : {}),
  };
}

export function key(name: string): KeyEvent {
  const text = name === 'space' ? ' ' : [...name].length === 1 ? name : undefined;
  return { kind: 'key', name, ...(text === undefined ? {} : { text }) };
}

type StageOptions = {
  readonly width?: number;
  readonly maxRows?: number;
  readonly answer?: () => Promise<unknown>;
  readonly later?: (ms: number, run: () => void) => () => void;
};

/** `later`: a timer other than the clock's. */
export function stage({ width = 79, maxRows = 20, later, answer }: StageOptions = {}) {
  const clock = new ManualClock();
  const given: [string, PermissionAnswer][] = [];
  const plans: string[] = [];
  const edits: ((text: string | undefined) => void)[] = [];
  const editor: KeyEvent[] = [];
  let open: readonly PermissionQuestion[] = [];
  const pageHost = new QuestionPanel({
    answer: answer ?? (async (question, said) => void given.push([question, said])),
    toEditor: (presses) => editor.push(...presses),
    later: later ?? ((ms, run) => clock.after(ms, run)),
    now: () => clock.elapsed(),
    editText: () => new Promise((resolve) => edits.push(resolve)),
    paint: () => {},
    onDocument: (text) => plans.push(text),
  });
  const hasDraft = () => written() !== '';
  const written = () =>
    editor
      .map((event) => (event.kind === 'paste' ? event.text : event.kind === 'key' ? (event.text ?? '') : ''))
      .join('');
  const frame = () => pageHost.rows({ width, maxRows, hasDraft: hasDraft() }, bare);
  const self = {
    clock,
    pageHost,
    given,
    plans,
    edits,
    editor,
    written,
    frame,
    rows: () => frame().rows,
    /** Asks, lets the input be described, and paints. */
    async open(...questions: readonly PermissionQuestion[]) {
      open = questions;
      pageHost.update(open);
      await until(() => !frame().rows.includes('  …'));
    },
    async settle(id: string) {
      await self.open(...open.filter((question) => question.id !== id));
    },
    /** One key event; if the panel ignores it, it goes to the editor, as in the app. Then the screen is painted. */
    press(event: KeyEvent) {
      const taken = pageHost.press(event, { hasDraft: hasDraft() });
      if (taken === 'ignored') editor.push(event);
      frame();
      return taken;
    },
    /** A key after a pause, and a pause after it: a user who answers. */
    async deliberate(...names: readonly string[]) {
      for (const name of names) {
        await clock.advance(600);
        self.press(key(name));
        await clock.advance(250);
        frame();
      }
    },
    /** Keys one after another, `ms` apart. */
    async type(text: string, ms = 100) {
      for (const char of text) {
        self.press(key(char === '\n' ? 'enter' : char === ' ' ? 'space' : char));
        await clock.advance(ms);
        frame();
      }
    },
  };
  return self;
}
