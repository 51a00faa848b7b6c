/**
 * Writes the events of a session to a file, one line each, for debugging (`--debug-file`). Sizes and names, no content:
 * messages and files stay out, and so do environment values that look like secrets.
 */

import { resolve } from 'node:path';
import { VERSION } from '../../config/version.js';
import type { Clock } from '../../host/clock.js';
import type { AppendHandle } from '../../host/files.js';
import type { Environment, Host } from '../../host/host.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { SessionEvent } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { describeEvent } from './describe-event.js';

export type OpenedDebugFile = Result<{ readonly file: DebugFile }>;

export async function openDebugFile(host: Host, name: string): Promise<OpenedDebugFile> {
  const path = resolve(host.folder, name);
  try {
    const file = new DebugFile(host, await host.files.openAppend(path));
    file.note(`coppice ${VERSION} in ${host.folder}`);
    await file.written();
    return { ok: true, file };
  } catch (error) {
    return { ok: false, reason: `--debug-file ${name}: ${path} could not be written: ${reasonOf(error)}` };
  }
}

export class DebugFile {
  readonly #clock: Clock;
  readonly #handle: AppendHandle;
  readonly #secrets: readonly string[];
  #last: Promise<void> = Promise.resolve();
  #waiting = '';

  constructor({ clock, env }: Host, handle: AppendHandle) {
    this.#clock = clock;
    this.#handle = handle;
    this.#secrets = secretsOf(env);
  }

  readonly onEvent = ({ agent, seq, event }: SessionEvent): void => {
    const text = describeEvent(event);
    if (text !== undefined) this.note(`${agent}${seq === undefined ? '' : ` #${seq}`} ${text}`);
  };

  readonly note = (line: string): void => {
    const time = new Date(this.#clock.now()).toISOString();
    const isFirst = this.#waiting === '';
    this.#waiting += `${time} ${escapeToLine(this.#withoutSecrets(line))}\n`;
    // Lines that arrive meanwhile are written with it. A disk that fills up later ends the notes, not the session.
    if (isFirst) this.#last = this.#last.then(() => this.#write()).catch(() => {});
  };

  /** Rejects if the lines so far could not be written. */
  async written(): Promise<void> {
    await this.#last;
    if (this.#isLost) throw new Error('no bytes could be written');
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#handle.close();
  }

  #isLost = false;

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    try {
      for (let at = 0; at < bytes.length; ) at += await this.#handle.write(bytes.subarray(at));
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
  }

  #withoutSecrets(line: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line);
  }
}

const SHORTEST = 8;

function secretsOf(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name)
      ? [value]
      : [],
  );
}
