/** The status line in a line-based session: a dim line before the prompt, when it has changed (EX-22). */

import type { Screen } from '../cli/plain/screen.js';
import type { Session } from '../sdk/session.js';
import type { Paint } from '../view/paint.js';
import { StatusLineRunner, type StatusLineRunnerOptions } from './status-line-runner.js';

export type PlainStatusOptions = Pick<StatusLineRunnerOptions, 'size' | 'colours'> & {
  readonly session: Session;
  readonly screen: Screen;
  readonly paint: Paint;
  /** True while the main agent runs: then the line waits for the prompt. */
  isWorking(): boolean;
};

export type PlainStatus = {
  /** Called before a prompt. Prints the line unless it is already there. */
  show(): void;
  close(): Promise<void>;
};

export function startPlainStatus({
  session,
  screen,
  paint,
  isWorking,
  size,
  colours,
}: PlainStatusOptions): PlainStatus {
  let shown = '';
  const show = () => {
    const text = line.lines.join('\n');
    if (text === shown) return;
    shown = text;
    for (const one of line.lines) screen.line(paint.dim(one));
  };
  const line = new StatusLineRunner({
    session,
    size,
    colours,
    // A change of time alone waits for the next prompt: nobody wants a line every second.
    onChange: (_, cause) => {
      if (cause === 'event' && !isWorking()) show();
    },
  });
  line.start();
  return { show, close: () => line.close() };
}
