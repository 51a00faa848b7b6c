/** The Agent SDK's `query()` on the built program: prompts one by one, control requests in between. */

import { join } from 'node:path';
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { onTestFinished } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { ROOT } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';

export type SdkQuery = Stage & {
  readonly query: Query;
  readonly messages: readonly SDKMessage[];
  readonly stderr: () => string;
  /** Sends a prompt and waits for its `result`. */
  ask(prompt: string): Promise<Extract<SDKMessage, { type: 'result' }>>;
  /** Ends the input and waits for the program. */
  end(): Promise<void>;
};

export async function startQuery(
  rules: readonly Rule[],
  options: Options | ((stage: Stage) => Options | Promise<Options>) = {},
): Promise<SdkQuery> {
  const stage = await setStage(rules);
  const stderr: string[] = [];
  const { env, ...more } = typeof options === 'function' ? await options(stage) : options;
  const input = promptLine();
  const running = query({
    prompt: input.lines,
    options: {
      cwd: stage.folder,
      pathToClaudeCodeExecutable: join(ROOT, 'dist', 'cli.js'),
      stderr: (piece) => stderr.push(piece),
      ...more,
      env: { ...stage.env, ...env },
    },
  });
  const messages: SDKMessage[] = [];
  let heard = () => {};
  const ended = (async () => {
    for await (const message of running) {
      messages.push(message);
      heard();
    }
  })();
  ended.catch(() => {}).finally(() => heard());
  onTestFinished(() => running.close());
  const results = () => messages.filter((one) => one.type === 'result');
  let isOver = false;
  ended
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return {
    ...stage,
    query: running,
    messages,
    stderr: () => stderr.join(''),
    ask: async (prompt) => {
      const nth = results().length;
      input.push(prompt);
      for (;;) {
        const found = results()[nth];
        if (found !== undefined) return found;
        if (isOver) throw new Error(`the program ended: ${stderr.join('')}`);
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    end: () => {
      input.close();
      return ended;
    },
  };
}

/** Lines that are pushed from outside, until it is closed. */
function promptLine() {
  const waiting: string[] = [];
  let isClosed = false;
  let wake = () => {};
  async function* lines(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const content = waiting.shift();
      if (content !== undefined) yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      else if (isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    lines: lines(),
    push: (prompt: string) => {
      waiting.push(prompt);
      wake();
    },
    close: () => {
      isClosed = true;
      wake();
    },
  };
}
