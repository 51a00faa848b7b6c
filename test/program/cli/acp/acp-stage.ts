/** `coppice acp` as a real program, driven by the protocol's own client. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type NewSessionRequest,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type ReadTextFileRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { buildProgram, ROOT } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { untilFound } from '../../../support/until.js';

export type Updates<K extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: K }>[];

export type TestEditor = {
  readonly agent: ClientContext;
  readonly child: ChildProcessWithoutNullStreams;
  /** What it was asked, in order. */
  readonly asked: RequestPermissionRequest[];
  /** Reads nothing any more; returns a function that lets it read on. */
  hold(): () => void;
  readonly ended: Promise<number | null>;
  stderr(): string;
  /** Initialised already. */
  open(more?: Partial<NewSessionRequest>): Promise<NewSessionResponse>;
  prompt(session: string, prompt: string | ContentBlock[]): Promise<PromptResponse>;
  updates<K extends SessionUpdate['sessionUpdate']>(session: string, kind: K): Updates<K>;
  all(session: string): SessionUpdate[];
  /** What the agent said. */
  said(session: string): string;
};

export type EditorOptions = {
  readonly args?: readonly string[];
  readonly env?: Record<string, string | undefined>;
  readonly capabilities?: ClientCapabilities;
  readonly answer?: (
    request: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  readonly read?: (request: ReadTextFileRequest) => string | Promise<string>;
  readonly write?: (request: WriteTextFileRequest) => void | Promise<void>;
  /** Told every message. */
  readonly note?: (from: 'editor' | 'agent', message: object) => void;
  readonly elicit?: (request: CreateElicitationRequest) => CreateElicitationResponse;
};

export async function setAcpStage(rules: readonly Rule[] = []): Promise<Stage> {
  await buildProgram();
  return setStage(rules);
}

/** The answer that chooses the option of this id. */
export function choose(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } };
}

export function startAcp(
  stage: Pick<Stage, 'folder' | 'env'>,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [`${ROOT}/dist/cli.js`, 'acp', ...args], {
    cwd: stage.folder,
    env: { ...stage.env, ...env } as NodeJS.ProcessEnv,
  });
  child.stdin.on('error', () => {});
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function connectEditor(
  stage: Pick<Stage, 'folder' | 'env'>,
  options: EditorOptions = {},
): Promise<TestEditor> {
  const child = startAcp(stage, options.args, options.env);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  const updates = new Map<string, SessionUpdate[]>();
  const asked: RequestPermissionRequest[] = [];
  const all = (session: string) => updates.get(session) ?? [];
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      const known = updates.get(params.sessionId);
      if (known === undefined) updates.set(params.sessionId, [params.update]);
      else known.push(params.update);
    })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      return options.answer?.(params) ?? choose('reject');
    });
  const { read, write, elicit } = options;
  if (read) app.onRequest('fs/read_text_file', async ({ params }) => ({ content: await read(params) }));
  if (write) app.onRequest('fs/write_text_file', async ({ params }) => void (await write(params)));
  if (elicit) app.onRequest('elicitation/create', ({ params }) => elicit(params));
  const reading = gate(child.stdout);
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(reading.output) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(options.note === undefined ? stream : noted(stream, options.note));
  onTestFinished(() => connection.close());
  const { agent } = connection;
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: options.capabilities ?? {} });
  const updatesOf = <K extends SessionUpdate['sessionUpdate']>(session: string, kind: K) =>
    all(session).filter((one) => one.sessionUpdate === kind) as Updates<K>;
  return {
    agent,
    child,
    asked,
    ended,
    hold: reading.hold,
    stderr: () => stderr,
    open: (more = {}) => agent.request('session/new', { cwd: stage.folder, mcpServers: [], ...more }),
    prompt: (sessionId, prompt) =>
      agent.request('session/prompt', {
        sessionId,
        prompt: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
      }),
    updates: updatesOf,
    all,
    said: (session) => textOf(updatesOf(session, 'agent_message_chunk')),
  };
}

/** Pausing a stream is undone by the next pull of its reader: here nothing is read until it is let go. */
function gate(input: Readable): { readonly output: Readable; hold(): () => void } {
  let held: Promise<void> = Promise.resolve();
  async function* pass() {
    for await (const piece of input) {
      await held;
      yield piece;
    }
  }
  return {
    output: Readable.from(pass(), { objectMode: false }),
    hold: () => {
      let letGo = () => {};
      held = new Promise((resolve) => {
        letGo = resolve;
      });
      return letGo;
    },
  };
}

function noted({ readable, writable }: Stream, note: NonNullable<EditorOptions['note']>): Stream {
  const tap = (from: 'editor' | 'agent') =>
    new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        note(from, message);
        controller.enqueue(message);
      },
    });
  const out = tap('editor');
  void out.readable.pipeTo(writable).catch(() => {});
  return { readable: readable.pipeThrough(tap('agent')), writable: out.writable };
}

export function textOf(chunks: readonly { readonly content: ContentBlock }[]): string {
  return chunks.map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`)).join('');
}

export type RawAnswer = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};

export type RawEditor = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  /** Every line so far; each is a message, or this throws. */
  lines(): RawAnswer[];
  /** Several messages are one write. */
  send(...messages: object[]): void;
  /** Of a request of ours. */
  answerTo(id: number): Promise<RawAnswer>;
  request(method: string, params: unknown): Promise<RawAnswer>;
  /** The first request of the agent's with this method, after `skip` others. */
  asked(method: string, skip?: number): Promise<RawAnswer>;
};

/** An editor that may say anything. Initialised already. */
export async function connectRaw(
  stage: Pick<Stage, 'folder' | 'env'>,
  { args, capabilities = {} }: Pick<EditorOptions, 'args' | 'capabilities'> = {},
): Promise<RawEditor> {
  const child = startAcp(stage, args);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    out += piece;
  });
  const lines = () =>
    out
      .slice(0, out.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RawAnswer);
  const send = (...messages: object[]) =>
    void child.stdin.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  const answerTo = (id: number) =>
    untilFound(() => lines().find((one) => one.id === id && one.method === undefined), `the answer to ${id}`);
  let last = 1000;
  const request = (method: string, params: unknown) => {
    last += 1;
    send({ id: last, method, params });
    return answerTo(last);
  };
  await request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
  const asked = (wanted: string, skip = 0) =>
    untilFound(() => lines().filter(({ id, method }) => method === wanted && id !== undefined)[skip], wanted);
  return { child, ended, lines, send, answerTo, request, asked };
}
