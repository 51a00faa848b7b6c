/** The Agent SDK's own `query()` on the built program, against the simulated model: what was sent, said and printed. */

import { join } from 'node:path';
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { onTestFinished } from 'vitest';
import type { Rule, SimOptions, SimRequest } from '../../../src/sim/index.js';
import { ROOT } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';
import { untilFound } from '../../support/until.js';

export type Content = SDKUserMessage['message']['content'];

/** A line as it came, whatever the SDK's types promise of it. */
export type Line = SDKMessage & { readonly [field: string]: unknown };

export type Run = {
  /** Every message that `query()` gave. */
  readonly messages: readonly Line[];
  /** The last `result`. */
  readonly result: Line;
  readonly stderr: string;
  /** What the SDK threw. */
  readonly error: string | undefined;
  /** The bodies of all requests to the model, in order. */
  readonly sent: readonly Body[];
};

/** A request to the model. */
export type Body = SimRequest['body'] & { readonly [field: string]: unknown };

export type SdkStage = Omit<Stage, 'open'> & {
  /** One prompt, to the end. */
  run(prompt: string | AsyncIterable<SDKUserMessage>, options?: Options): Promise<Run>;
  /** A session whose prompts and requests the test sends one by one. */
  open(options?: Options): Live;
};

export type Live = {
  readonly query: Query;
  readonly messages: readonly Line[];
  stderr(): string;
  say(content: Content, more?: Partial<SDKUserMessage>): void;
  /** The n-th `result`. */
  result(nth?: number): Promise<Line>;
  /** The first message that is so. */
  message(is: (line: Line) => boolean, what: string): Promise<Line>;
  /** A control request that the SDK has no method for. */
  request(request: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Ends the input, and waits for the program to end. */
  end(): Promise<Run>;
};

export async function setSdkStage(rules: readonly Rule[], options: SimOptions = {}): Promise<SdkStage> {
  const stage = await setStage(rules, options);
  const optionsWith = (more: Options, stderr: string[]): Options => ({
    cwd: stage.folder,
    pathToClaudeCodeExecutable: join(ROOT, 'dist', 'cli.js'),
    env: stage.env,
    stderr: (piece) => stderr.push(piece),
    ...more,
  });
  const start = (prompt: string | AsyncIterable<SDKUserMessage>, options: Options) => {
    const stderr: string[] = [];
    const messages: Line[] = [];
    const running = query({ prompt, options: optionsWith(options, stderr) });
    const ended = collect(running, messages);
    // A test that failed half-way leaves no process.
    onTestFinished(async () => {
      running.close();
      await ended;
    });
    const run = async (): Promise<Run> => {
      const error = await ended;
      return { messages, result: lastResult(messages), stderr: stderr.join(''), error, sent: bodies(stage) };
    };
    return { running, messages, stderr, run };
  };
  return {
    ...stage,
    run: (prompt, options = {}) => start(prompt, options).run(),
    open: (options = {}) => {
      const input = inputLine();
      const { running, messages, stderr, run } = start(input.lines, options);
      const message = (is: (line: Line) => boolean, what: string) => untilFound(() => messages.find(is), what);
      return {
        query: running,
        messages,
        stderr: () => stderr.join(''),
        say: (content, more = {}) =>
          input.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more }),
        result: (nth = 1) =>
          untilFound(
            () => messages.filter(({ type }) => type === 'result')[nth - 1],
            `result ${nth}: ${stderr.join('')}`,
          ),
        message,
        request: (request) =>
          (running as unknown as { request: (fields: object) => Promise<Record<string, unknown>> })
            .request(request)
            .then((answer) => (answer.response ?? answer) as Record<string, unknown>),
        end: () => {
          input.close();
          return run();
        },
      };
    },
  };
}

/** Gives what the SDK threw, if it did. */
async function collect(running: Query, messages: Line[]): Promise<string | undefined> {
  try {
    for await (const message of running) messages.push(message as Line);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function lastResult(messages: readonly Line[]): Line {
  return messages.findLast(({ type }) => type === 'result') ?? ({} as Line);
}

function bodies(stage: Stage): readonly Body[] {
  return stage.sim.requests
    .filter(({ path }) => path.startsWith('/v1/messages') && !path.includes('count'))
    .map(({ body }) => body as Body);
}

/** Lines that are pushed from outside, until it is closed. */
function inputLine() {
  const waiting: SDKUserMessage[] = [];
  let isClosed = false;
  let wake = () => {};
  async function* lines(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    lines: lines(),
    push: (line: SDKUserMessage) => {
      waiting.push(line);
      wake();
    },
    close: () => {
      isClosed = true;
      wake();
    },
  };
}
