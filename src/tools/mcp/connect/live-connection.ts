/** An open connection: its calls with their limits (MC-6, MC-19), and its recovery when it is lost (MC-14). */

import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { aborted, newAbort } from '../../../host/clock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { FORGOTTEN, isForgotten, RECONNECT_MS } from './channels/signed-fetch.js';
import type {
  CallOptions,
  CallToolResult,
  GetPromptResult,
  ListedTool,
  Prompt,
  ReadResourceResult,
  Resource,
  ServerConnection,
} from './connection.js';
import { explainError, signInReason, statusOf, wantsSignIn } from './explain-error.js';
import { LONGEST_MS } from './limits.js';
import { listPages } from './list-pages.js';
import type { ClientSetup, OpenClient } from './open-client.js';
import { openClient } from './open-client.js';
import { describeProgress, type Progress } from './progress-line.js';
import { anyObject, callResult, promptResult, resourceResult } from './read-result.js';

type Asked<T> = {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly result: StandardSchemaV1<unknown, T>;
  readonly signal: AbortSignal;
  readonly limits: { readonly wholeMs: number; readonly idleMs: number; readonly setBy: string };
  readonly agentId?: string;
  readonly progress?: (line: string) => void;
};

export class LiveConnection implements ServerConnection {
  readonly #setup: ClientSetup;
  readonly #closing = newAbort();
  /** The last open client: its description of itself stays valid while a new one is opened. */
  #known: OpenClient;
  #line: OpenClient | undefined;
  #reconnecting: Promise<void> | undefined;
  #whyLost = '';

  constructor(setup: ClientSetup, line: OpenClient) {
    this.#setup = setup;
    this.#known = line;
    this.#take(line);
  }

  get instructions(): string | undefined {
    return this.#known.client.getInstructions();
  }

  get info(): ServerConnection['info'] {
    const { name, version } = this.#known.client.getServerVersion() ?? {};
    return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined;
  }

  get offers(): ServerConnection['offers'] {
    const { tools, resources, prompts } = this.#known.client.getServerCapabilities() ?? {};
    return { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined };
  }

  async listTools(): Promise<readonly ListedTool[]> {
    return this.offers.tools ? listPages('tools', (cursor) => this.#page('tools/list', cursor)) : [];
  }

  async listResources(signal?: AbortSignal): Promise<readonly Resource[]> {
    if (!this.offers.resources) return [];
    return listPages('resources', (cursor) => this.#page('resources/list', cursor, signal));
  }

  async listPrompts(signal?: AbortSignal): Promise<readonly Prompt[]> {
    if (!this.offers.prompts) return [];
    return listPages('prompts', (cursor) => this.#page('prompts/list', cursor, signal));
  }

  callTool(name: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult> {
    return this.#ask({
      method: 'tools/call',
      params: { name, arguments: input },
      result: callResult,
      limits: this.#callLimits(),
      ...options,
    });
  }

  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    const params = { uri };
    return this.#ask({ method: 'resources/read', params, result: resourceResult, signal, limits: this.#callLimits() });
  }

  getPrompt(name: string, input: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult> {
    const params = { name, arguments: input };
    return this.#ask({ method: 'prompts/get', params, result: promptResult, signal, limits: this.#callLimits() });
  }

  rootsChanged(): void {
    this.#line?.client.sendRootsListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    const line = this.#line;
    this.#line = undefined;
    this.#whyLost ||= 'the connection was closed';
    this.#closing.abort();
    await line?.channel.end();
    await this.#reconnecting;
    // Also for a lost connection: its processes may still be ending.
    await this.#known.channel.end();
  }

  #callLimits(): Asked<unknown>['limits'] {
    const { callMs, idleMs } = this.#setup.limits;
    return { wholeMs: callMs, idleMs, setBy: 'its "timeout" or MCP_TOOL_TIMEOUT' };
  }

  #page(method: string, cursor: string | undefined, given?: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const params: Record<string, unknown> = cursor === undefined ? {} : { cursor };
    const limits = { wholeMs: this.#setup.limits.connectMs, idleMs: Number.POSITIVE_INFINITY, setBy: 'MCP_TIMEOUT' };
    const { signal: closing } = this.#closing;
    const signal = given === undefined ? closing : AbortSignal.any([closing, given]);
    return this.#ask({ method, params, result: anyObject, signal, limits });
  }

  /** If the server has forgotten the session, it did not process the request: retry once in a new session. */
  async #ask<T>(requested: Asked<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const line = await this.#usable(requested.signal);
      try {
        return await this.#send(line, requested);
      } catch (error) {
        if (error instanceof StoppedError) throw this.#told(error.message);
        const { sdk } = this.#setup;
        const wasForgotten = line.channel.hasSession() && isForgotten(statusOf(sdk, error), reasonOf(error));
        if (wasForgotten) this.#lose(line, FORGOTTEN, true);
        if (wasForgotten && !isAgain && !requested.signal.aborted) continue;
        if (wantsSignIn(sdk, error) && !line.channel.signsItself)
          throw this.#told(signInReason(sdk, this.#setup.request.server.name, error));
        throw this.#told(explainError(sdk, error, line.channel));
      }
    }
  }

  async #send<T>(
    line: OpenClient,
    { method, params, result, signal, limits, agentId, progress }: Asked<T>,
  ): Promise<T> {
    const { patience, calls, request } = this.#setup;
    const stopped = newAbort();
    const stop = (reason: string) => stopped.abort(new StoppedError(reason));
    const cancel = () => stop('the call was cancelled');
    const whole = patience.after(limits.wholeMs, () =>
      stop(`no answer within ${inWords(limits.wholeMs)} (a limit that can be set by ${limits.setBy})`),
    );
    const idle = patience.watch(limits.idleMs, () => stop(`neither answer nor progress for ${inWords(limits.idleMs)}`));
    const end = agentId === undefined ? () => {} : calls.begin({ agentId, signal: stopped.signal });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      if (signal.aborted) cancel();
      stopped.signal.throwIfAborted();
      let lastReport = Number.NEGATIVE_INFINITY;
      const onprogress = (made: Progress) => {
        idle.sign();
        const now = request.host.clock.elapsed();
        if (now - lastReport < BETWEEN_LINES_MS) return;
        lastReport = now;
        progress?.(describeProgress(made));
      };
      const options = {
        signal: stopped.signal,
        timeout: LONGEST_MS,
        ...(progress === undefined ? {} : { onprogress }),
      };
      return await line.client.request({ method, params }, result, options);
    } catch (error) {
      throw stopped.signal.aborted ? stopped.signal.reason : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      whole();
      idle.stop();
      end();
    }
  }

  /** Waits while a new connection is opened. Rejects if there is none. */
  async #usable(signal: AbortSignal): Promise<OpenClient> {
    if (this.#line === undefined && this.#reconnecting !== undefined) {
      await Promise.race([this.#reconnecting, aborted(signal)]);
      if (signal.aborted) throw this.#told('the call was cancelled');
    }
    if (this.#line === undefined) throw this.#told(this.#whyLost);
    return this.#line;
  }

  #take(line: OpenClient): void {
    this.#known = line;
    this.#line = line;
    line.channel.connected({
      lost: (reason, kind) => this.#lose(line, reason, kind === 'forgotten'),
      listening: () => this.#refetchLists(line),
    });
    const closed = () => this.#lose(line, line.channel.whyLost() ?? 'the server closed the connection', false);
    line.client.onclose = closed;
    // It may have ended since its handshake.
    if (line.client.transport === undefined) closed();
  }

  /** Notifications sent before we listened are lost, such as a change of tools right after the handshake. */
  #refetchLists(line: OpenClient): void {
    const offered = line.client.getServerCapabilities() ?? {};
    for (const what of ['tools', 'resources', 'prompts'] as const) {
      if (offered[what]?.listChanged === true) this.#setup.request.onListChanged(what);
    }
  }

  #lose(line: OpenClient, reason: string, mayComeBack: boolean): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    this.#whyLost = reason;
    void line.channel.end();
    if (!mayComeBack) {
      this.#giveUp(reason);
      return;
    }
    const reconnecting = this.#comeBack().finally(() => {
      // It may be lost again by now.
      if (this.#reconnecting === reconnecting) this.#reconnecting = undefined;
    });
    this.#reconnecting = reconnecting;
  }

  #giveUp(reason: string): void {
    // Deferred even if it is already lost: the caller gets the connection first.
    queueMicrotask(() => this.#setup.request.onLost(reason));
  }

  async #comeBack(): Promise<void> {
    const { signal } = this.#closing;
    const { request } = this.#setup;
    let reason = this.#whyLost;
    for (const ms of RECONNECT_MS) {
      await request.host.clock.sleep(ms, signal);
      if (signal.aborted) return;
      const opened = await openClient({ ...this.#setup, request: { ...request, signal } });
      if (opened.ok) {
        this.#take(opened.line);
        if (signal.aborted) this.#line = undefined;
        else for (const what of ['tools', 'resources', 'prompts'] as const) request.onListChanged(what);
        return;
      }
      reason = opened.refusal.reason;
      if (opened.refusal.kind !== 'failed') break;
    }
    this.#whyLost = reason;
    if (!signal.aborted) this.#giveUp(reason);
  }

  #told(reason: string): Error {
    return new Error(`MCP server ${this.#setup.request.server.name}: ${reason}`);
  }
}

/** A server may report progress thousands of times a second. */
const BETWEEN_LINES_MS = 50;

/** We stopped waiting because of a limit or a cancellation. */
class StoppedError extends Error {}

function inWords(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
