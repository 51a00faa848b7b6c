/**
 * A child's progress for the user, one line per step. Held in memory, up to a limit, while a call waits for the child;
 * otherwise written, from the first line on, to its output file.
 */

import { dirname } from 'node:path';
import type { AppendHandle } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { AgentEvent } from '../../protocol/events.js';
import { parseBlock } from '../../protocol/frozen-block.js';
import { oneLine, shorten } from '../../protocol/text/one-line.js';

const MAX_LINE = 300;
/** Lines held in memory. Beyond that, the file is opened. */
const MAX_KEPT_LINES = 500;
/** Lines held after the agent has ended. */
const LAST_LINES = 20;

export class OutputLog {
  readonly path: string;
  readonly #host: Host;
  #lines: string[] = [];
  #last = 'starting';
  #queue: Promise<AppendHandle | undefined> | undefined;

  constructor(host: Host, path: string) {
    this.#host = host;
    this.path = path;
  }

  /** The newest line, which shows its current action. */
  get last(): string {
    return this.#last;
  }

  recent(count: number): readonly string[] {
    return this.#lines.slice(-count);
  }

  hear(event: AgentEvent): void {
    const line = describe(event);
    if (line !== undefined) this.add(line);
  }

  add(line: string): void {
    const short = shorten(line, MAX_LINE);
    this.#last = short;
    this.#lines.push(short);
    if (this.#queue !== undefined) this.#write(`${short}\n`);
    else if (this.#lines.length > MAX_KEPT_LINES) this.openFile();
    if (this.#lines.length > MAX_KEPT_LINES) this.#lines.splice(0, this.#lines.length - MAX_KEPT_LINES);
  }

  /** Writes to disk from now on. A failure does not stop the run: the transcript has everything. */
  openFile(): void {
    if (this.#queue !== undefined) return;
    this.#queue = this.#host.files
      .makeFolder(dirname(this.path), 0o700)
      .then(() => this.#host.files.openAppend(this.path))
      .catch(() => undefined);
    if (this.#lines.length > 0) this.#write(`${this.#lines.join('\n')}\n`);
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    this.#lines.splice(0, this.#lines.length - LAST_LINES);
    const handle = await queue?.catch(() => undefined);
    await handle?.close().catch(() => {});
  }

  #write(text: string): void {
    this.#queue = this.#queue?.then(async (handle) => {
      for (let rest: Uint8Array = Buffer.from(text); handle !== undefined && rest.length > 0; ) {
        const written = await handle.write(rest).catch(() => 0);
        if (written === 0) break;
        rest = rest.subarray(written);
      }
      return handle;
    });
  }
}

function describe(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'agent-spawned':
      return `${event.type}: ${event.description}`;
    case 'call-started':
      return `${event.tool} ${oneLine(JSON.stringify(event.input))}`;
    case 'call-finished':
      return event.isError ? `${event.tool} failed` : undefined;
    case 'assistant-replied': {
      const output = event.blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return output.length > 0 ? oneLine(output.join(' ')) : undefined;
    }
    case 'fault-met':
      return event.line;
    case 'question-asked':
      return `asks the person about ${event.tool}`;
    case 'agent-state-changed':
      return event.state === 'running' ? undefined : `${event.state}${event.reason ? `: ${event.reason}` : ''}`;
    default:
      return undefined;
  }
}
