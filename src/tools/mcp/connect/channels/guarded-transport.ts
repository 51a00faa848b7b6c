/**
 * Wraps a client's transport: passes only responses to open requests, ends the stream of a cancelled request, and
 * answers a request whose stream was cut off, which would otherwise wait forever.
 */

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { newAbort } from '../../../../host/clock.js';

type SendOptions = NonNullable<Parameters<Transport['send']>[1]>;

export class GuardedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #inner: Transport;
  readonly #isAnswer: (message: unknown) => boolean;
  readonly #open = new Map<number, AbortController>();

  /** `isAnswer`: true for messages that the client can parse. */
  constructor(inner: Transport, isAnswer: (message: unknown) => boolean) {
    this.#inner = inner;
    this.#isAnswer = isAnswer;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      if (this.#isExpected(message))
        this.onmessage?.(this.#isAnswer(message) ? message : notUnderstood(message), extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!('method' in message)) return this.#inner.send(message, options);
    if ('id' in message && typeof message.id === 'number') return this.#sendRequest(message, message.id, options);
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    // A late response is ignored, so its stream is useless.
    if (typeof cancelled === 'number') {
      this.#open.get(cancelled)?.abort();
      this.#open.delete(cancelled);
    }
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #sendRequest(message: JSONRPCMessage, id: number, options: SendOptions | undefined): Promise<void> {
    const stream = newAbort();
    this.#open.set(id, stream);
    try {
      const onRequestStreamEnd = () => this.#fail(id);
      await this.#inner.send(message, { ...options, requestSignal: stream.signal, onRequestStreamEnd });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  #fail(id: number): void {
    if (!this.#open.delete(id)) return;
    const error = { code: CUT_OFF, message: 'the connection was closed before the answer came' };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }

  /** Our ids are numbers; some servers return them as text. */
  #isExpected(message: JSONRPCMessage): boolean {
    if ('method' in message) return true;
    const { id } = message;
    const number = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
    return typeof number === 'number' && this.#open.delete(number);
  }
}

/** The client would drop this response and wait for another that never comes. */
function notUnderstood<T extends JSONRPCMessage>(message: T): T | JSONRPCMessage {
  if ('method' in message || !('id' in message) || message.id === undefined) return message;
  const error = { code: NOT_UNDERSTOOD, message: 'the answer is not one that the protocol knows' };
  return { jsonrpc: '2.0', id: message.id, error };
}

/** Custom codes in the range reserved for implementations. */
const CUT_OFF = -32_091;
const NOT_UNDERSTOOD = -32_092;
