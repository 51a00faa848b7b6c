/** A session that the Agent SDK drives: prompts and control requests one by one, on the built program. */

import { join } from 'node:path';
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, onTestFinished } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { buildProgram, ROOT } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';
import { untilFound } from '../../support/until.js';

type Fields = Record<string, unknown>;

export type Driven = Stage & {
  readonly query: Query;
  readonly lines: readonly (SDKMessage & Fields)[];
  say(content: string, uuid?: string): void;
  /** The n-th `result`. */
  result(nth?: number): Promise<Fields>;
  /** Sends a request as it is; resolves with the response. */
  request(request: Fields): Promise<Fields>;
  /** Why a request was refused. */
  refusal(request: Fields): Promise<string>;
  end(): Promise<void>;
};

export async function driveBySdk(
  rules: readonly Rule[],
  options: Options = {},
  prepare: (stage: Stage) => Promise<unknown> = async () => {},
): Promise<Driven> {
  await buildProgram();
  const stage = await setStage(rules);
  await prepare(stage);
  const stderr: string[] = [];
  const lines: (SDKMessage & Fields)[] = [];
  const input = new PromptInput();
  const running = query({
    prompt: input.lines(),
    options: {
      cwd: stage.folder,
      pathToClaudeCodeExecutable: join(ROOT, 'dist', 'cli.js'),
      env: stage.env,
      stderr: (piece) => stderr.push(piece),
      ...options,
    },
  });
  const ended = (async () => {
    for await (const line of running) lines.push(line as SDKMessage & Fields);
  })();
  ended.catch(() => {});
  onTestFinished(() => running.close());
  const request = async (fields: Fields) => {
    const answer = (await (running as unknown as { request(fields: Fields): Promise<Fields> }).request(fields)) ?? {};
    return (answer.response ?? {}) as Fields;
  };
  return {
    ...stage,
    query: running,
    lines,
    say: (content, uuid) => input.push(content, uuid),
    result: (nth = 1) =>
      untilFound(() => lines.filter(({ type }) => type === 'result')[nth - 1], `result ${nth}; ${stderr.join('')}`),
    request,
    refusal: (fields) =>
      request(fields).then(
        (answer) => expect.fail(`it was not refused: ${JSON.stringify(answer)}`),
        (error: Error) => error.message,
      ),
    end: () => {
      input.close();
      return ended;
    },
  };
}

/** Lines that a test pushes, until it closes them. */
class PromptInput {
  readonly #waiting: SDKUserMessage[] = [];
  #isClosed = false;
  #wake = () => {};

  async *lines(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  push(content: string, uuid?: string): void {
    const line = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
    this.#waiting.push({
      ...line,
      ...(uuid === undefined ? {} : { uuid: uuid as NonNullable<SDKUserMessage['uuid']> }),
    });
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
