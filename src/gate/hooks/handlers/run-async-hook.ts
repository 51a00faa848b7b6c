/** Background commands: nothing waits for them, they decide nothing, and none outlives the session. */

import { newAbort } from '../../../host/clock.js';
import { capText, type HookMessage, type HookRun } from '../hook-answer.js';
import { type CommandHandler, describeHandler } from '../hook-config.js';
import type { HookCause, HookNews, HookPorts } from '../hook-ports.js';
import { readOutput } from '../read-output.js';

const WAKES = 2;

export class BackgroundHooks {
  readonly #stop = newAbort();
  readonly #running = new Set<Promise<void>>();

  /** Returns at once. `run` must end its processes when the signal aborts. */
  start(
    handler: CommandHandler,
    cause: HookCause,
    ports: Pick<HookPorts, 'deliver'>,
    run: (signal: AbortSignal) => Promise<HookRun>,
  ): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const running = run(signal)
      .then((end) => (signal.aborted ? undefined : ports.deliver({ cause, ...newsOf(handler, end) })))
      .catch(() => {})
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Ends all of them, and resolves when they are gone. No more can start. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}

function newsOf(handler: CommandHandler, run: HookRun): Omit<HookNews, 'cause'> {
  const hook = describeHandler(handler);
  if (handler.background === 'wakes' && run.kind === 'exited' && run.code === WAKES) {
    const output = run.stderr.trim() || run.stdout.trim();
    return { messages: [], wake: capText(output === '' ? `${hook} ended with exit code 2 and said nothing.` : output) };
  }
  const { messages, context, decision } = readOutput(handler.event, hook, run);
  const isIgnored = decision !== undefined && !messages.some(({ level }) => level === 'error');
  const text = "made a decision, which a background hook can't; it is ignored";
  const more: readonly HookMessage[] = isIgnored ? [{ level: 'warning', hook, text }] : [];
  return { messages: [...messages, ...more], context };
}
