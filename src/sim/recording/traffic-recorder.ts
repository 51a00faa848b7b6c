/** Writes a recording: takes exchanges when they end, and passes lines to the caller. */

import { isObject } from '../../protocol/json/json-values.js';
import { keyOf } from '../checks/check-access.js';
import { splitParts } from './body-parts.js';
import { folderOf, type KnownValues } from './find-varying.js';
import { PLACEHOLDERS } from './placeholders.js';
import { recordAnswer } from './recorded-answer.js';
import { RECORDING_VERSION, type RecordedAgent, type RecordedInput, RUN_ENDED, readBody } from './recording.js';
import { namesIn } from './template-text.js';
import { Templater } from './templater.js';

export type TrafficRecorderOptions = {
  /** Called with one complete line at a time, including its newline. The next line waits for it. */
  readonly write: (line: string) => void | Promise<void>;
  readonly known?: KnownValues;
  /** Never written, in any form. */
  readonly secrets?: readonly string[];
};

export type SentRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly agent?: RecordedAgent | undefined;
};

export type GivenAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cut?: true;
  readonly broken?: string;
};

/** Resolves when it is written. Later calls are ignored. */
export type EndExchange = (answer: GivenAnswer) => Promise<void>;

type WaitingInput = Omit<RecordedInput, 'to' | 'after'> & { after?: number; readonly seq: number | undefined };

/** Smaller parts are written inline. */
const LEAST_PART = 100;

export class TrafficRecorder {
  readonly #write: TrafficRecorderOptions['write'];
  readonly #templater: Templater;
  readonly #parts = new Map<string, number>();
  /** Inputs that no request contains yet, by agent. */
  readonly #waiting = new Map<string, WaitingInput[]>();
  #folder: string | undefined;
  #count = 0;
  #written: Promise<void> = Promise.resolve();
  #problem: unknown;

  constructor({ write, known = {}, secrets = [] }: TrafficRecorderOptions) {
    this.#write = write;
    this.#templater = new Templater(known, secrets);
    this.#folder = known.folder;
    const placeholders = PLACEHOLDERS.map(({ name }) => name);
    void this.#add([{ coppice: 'recording', version: RECORDING_VERSION, placeholders }]);
  }

  begin(request: SentRequest): EndExchange {
    const key = keyOf(request.headers);
    if (key !== undefined) this.#templater.addSecret(key);
    const started = this.#next();
    // Inputs that still wait came too late for this request.
    for (const input of this.#waiting.get(request.agent?.key ?? '') ?? []) input.after = started;
    let ended: Promise<void> | undefined;
    return (answer) => {
      ended ??= this.#end(request, answer, started, this.#next());
      return ended;
    };
  }

  /** An input reached an agent. `seq`: its number in the agent's transcript. */
  noteInput(input: string, to: string, seq: number | undefined): void {
    this.#waiting.set(to, [...(this.#waiting.get(to) ?? []), { input, at: this.#next(), seq }]);
  }

  /** The agent's next message has these inputs, or they were withdrawn. */
  noteTaken(to: string, seqs: readonly number[]): void {
    const waiting = this.#waiting.get(to) ?? [];
    const isTaken = ({ seq }: WaitingInput) => seq !== undefined && seqs.includes(seq);
    this.#waiting.set(
      to,
      waiting.filter((one) => !isTaken(one)),
    );
    void this.#add(waiting.filter(isTaken).map(({ seq: _, ...input }) => ({ ...input, to })));
  }

  /** Earlier inputs were answered in that run, not in the next. */
  noteRunEnd(of: string): void {
    void this.#add([{ input: RUN_ENDED, to: of, at: this.#next() }]);
  }

  /** Resolves when everything is written. Rejects if a write failed. */
  async close(): Promise<void> {
    await this.#written;
    if (this.#problem !== undefined) throw this.#problem;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  #end(sent: SentRequest, answer: GivenAnswer, started: number, ended: number): Promise<void> {
    const { body, names } = this.#templateOf(sent.body);
    const lines: object[] = [];
    const store = (value: unknown) => {
      const json = JSON.stringify(value);
      if (json === undefined || json.length < LEAST_PART) return undefined;
      const known = this.#parts.get(json);
      if (known !== undefined) return known;
      const part = this.#parts.size + 1;
      this.#parts.set(json, part);
      lines.push({ part, value });
      return part;
    };
    const { agent } = sent;
    const request = {
      method: sent.method,
      path: this.#templater.ofText(sent.path),
      headers: pick(sent.headers, REQUEST_HEADERS),
      body: splitParts(body, store),
    };
    const response = {
      status: answer.status,
      headers: pick(answer.headers, RESPONSE_HEADERS),
      body: recordAnswer(answer.body, this.#templater, names),
    };
    const { cut, broken } = answer;
    lines.push({
      started,
      ended,
      ...(agent === undefined ? {} : { agent: this.#nameOf(agent) }),
      request,
      response,
      ...(cut ? { cut } : {}),
      ...(broken === undefined ? {} : { broken: this.#templater.ofText(broken) }),
    });
    return this.#add(lines);
  }

  #nameOf({ key, name }: RecordedAgent): RecordedAgent {
    return { key, ...(name === undefined ? {} : { name: this.#templater.ofText(name) }) };
  }

  #templateOf(sent: Uint8Array | undefined): { readonly body: unknown; readonly names: ReadonlySet<string> } {
    const text = Buffer.from(sent ?? '').toString('utf8');
    const raw = readBody(text);
    this.#folder ??= this.#learnFolder(raw);
    const body = this.#templater.ofValue(withoutMetadata(raw));
    return { body, names: new Set(namesIn(JSON.stringify(body) ?? '')) };
  }

  /** For a client that reveals nothing else. */
  #learnFolder(body: unknown): string | undefined {
    const folder = folderOf(body);
    if (folder !== undefined) this.#templater.addValues({ folder });
    return folder;
  }

  #add(lines: readonly object[]): Promise<void> {
    const added = this.#written.then(async () => {
      for (const line of lines) await this.#write(`${JSON.stringify(line)}\n`);
    });
    // A failure is reported at the end: the session continues.
    this.#written = added.catch((error: unknown) => {
      this.#problem ??= error;
    });
    return this.#written;
  }
}

/** It identifies the session or the user. */
function withoutMetadata(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { metadata: _, ...rest } = body;
  return rest;
}

/** Headers that are recorded. None of them identifies the caller. */
const REQUEST_HEADERS = ['anthropic-version', 'anthropic-beta', 'content-type'];
const RESPONSE_HEADERS = ['content-type', 'request-id', 'retry-after', 'x-should-retry'];

function pick(given: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}
