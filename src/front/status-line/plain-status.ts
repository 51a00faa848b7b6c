/** The status line in a session of lines: a dim line before the prompt, when it says something new (EX-22). */

import type { Screen } from '../cli/plain/screen.js';
import type { Session } from '../sdk/session.js';
import type { Paint } from '../view/paint.js';
import { StatusLineRunner, type StatusLineRunnerOptions } from './status-line-runner.js';

export type PlainStatusOptions = Pick<StatusLineRunnerOptions, 'size' | 'colours'> & {
  readonly session: Session;
  readonly screen: Screen;
  readonly paint: Paint;
  /** Whether the main agent works: then the line waits for the prompt. */
  isWorking(): boolean;
};

export type PlainStatus = {
  /** Before a prompt. Prints nothing that stands there already. */
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
    // What only time has changed waits for the next prompt: nobody wants a line every second.
    onChange: (_, cause) => {
      if (cause === 'event' && !isWorking()) show();
    },
  });
  line.start();
  return { show, close: () => line.close() };
}
