/** One session of an editor: prompts, updates, questions. It decides nothing: everything it does is a command. */

import {
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { realClock } from '../../host/clock.js';
import type { Files } from '../../host/files.js';
import type { RunEnd } from '../../loop/run-loop.js';
import { modelData } from '../../model/models.js';
import { MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permission.js';
import { inputTokens } from '../../protocol/usage.js';
import type { Session } from '../sdk/session.js';
import { readTyped, runTyped, type Typed } from '../sdk/typed-commands.js';
import { createView, totalCost, type ViewFold } from '../view/session-view.js';
import type { Asking, Editor } from './editor.js';
import { Outbox } from './outbox.js';
import { readPrompt } from './prompt-blocks.js';
import { replay } from './replay.js';
import { availableCommands, configOptions, modeState } from './session-choices.js';
import { chunk, SessionUpdates, type UpdatesOptions } from './session-updates.js';
import type { ReadCurrent } from './tool-calls.js';

export class AcpSession {
  readonly session: Session;
  readonly #editor: Editor;
  readonly #outbox: Outbox;
  readonly #shown: UpdatesOptions;
  readonly #updates: SessionUpdates;
  readonly #view: ViewFold;
  readonly #files: Files;
  #commands = '';

  constructor(session: Session, editor: Editor, files: Files, readCurrent: ReadCurrent) {
    this.session = session;
    this.#editor = editor;
    this.#files = files;
    this.#outbox = new Outbox((update) => editor.client.notify('session/update', { sessionId: session.id, update }));
    this.#shown = {
      cwd: session.cwd,
      readCurrent,
      notices: editor.capabilities.session?.notices != null,
      push: (update) => this.#outbox.push(update),
    };
    this.#updates = new SessionUpdates(this.#shown);
    const { model, cwd: folder, mode } = session;
    this.#view = createView({ main: { model, folder, mode } });
    session.attach({ onEvent: (event) => this.#take(event), whenReady: () => this.#outbox.behind() });
  }

  get asking(): Asking {
    return { editor: this.#editor, session: this.session.id, updates: this.#updates, outbox: this.#outbox };
  }

  /** The response to `session/new`, `load` and `resume`. */
  get state() {
    return { modes: modeState(this.session), configOptions: configOptions(this.session) };
  }

  /** Sends the first updates, deferred until the editor has the response that names the session. */
  introduce(): void {
    realClock.after(0, () => {
      for (const warning of this.session.warnings) this.#updates.say('warning', warning);
      void this.#tellCommands();
      // Prompts of servers that are still connecting.
      void this.session.servers().then(() => this.#tellCommands());
    });
  }

  /** Resolves when the editor has received everything. */
  async replay(): Promise<void> {
    // Separate from running work, which continues.
    const updates = new SessionUpdates(this.#shown);
    await replay(this.#files, this.session.transcript, updates, () => this.#outbox.behind());
    updates.endOpenCalls((call) => !this.#updates.isUnderWay(call));
    await this.#outbox.flushed();
  }

  async prompt(prompt: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { content, attached } = readPrompt(prompt);
    if (signal.aborted) return { stopReason: 'cancelled' };
    const cancel = () => this.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const typed = attached.length === 0 ? readTyped(this.session, content) : undefined;
      const stopReason =
        typed === undefined
          ? this.#stopReason(await this.session.execute({ type: 'prompt', content, attached }))
          : await this.#runTyped(typed);
      await this.#tellCommands();
      await this.#outbox.flushed();
      return { stopReason };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  cancel(): void {
    this.session.interrupt();
  }

  async setMode(mode: string): Promise<void> {
    if (!isMode(mode)) throw RequestError.invalidParams(undefined, `unknown mode ${JSON.stringify(mode)}`);
    const done = await this.session.execute({ type: 'set-mode', mode });
    if (!done.ok) throw RequestError.invalidParams(undefined, done.reason);
  }

  async setOption(id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    if (id === 'mode' && typeof value === 'string') await this.setMode(value);
    else if (id === 'model' && typeof value === 'string' && value.trim() !== '') {
      const done = await this.session.execute({ type: 'set-model', model: value });
      if (!done.ok) throw RequestError.invalidParams(undefined, done.reason);
    } else throw RequestError.invalidParams(undefined, `no option ${JSON.stringify(id)} with this value`);
    return configOptions(this.session);
  }

  async close(): Promise<void> {
    await this.session.close('other');
  }

  #take(sessionEvent: SessionEvent): void {
    this.#view.apply(sessionEvent, realClock.elapsed());
    this.#updates.take(sessionEvent, this.#view);
    const { agent, event } = sessionEvent;
    if (agent !== MAIN_AGENT) return;
    if (event.kind === 'assistant-replied') this.#outbox.push(this.#usage(event));
    if (event.kind === 'mode-changed' || event.kind === 'epoch-started')
      this.#outbox.push({ sessionUpdate: 'config_option_update', configOptions: configOptions(this.session) });
  }

  /** Reports the use of the context window and the cost of the session so far. */
  #usage({ model, usage }: Extract<SessionEvent['event'], { readonly kind: 'assistant-replied' }>): SessionUpdate {
    const { models } = this.session;
    return {
      sessionUpdate: 'usage_update',
      used: inputTokens(usage) + usage.output,
      size: modelData(model, models).context,
      cost: { amount: totalCost(this.#view.totals, models), currency: 'USD' },
    };
  }

  /** Throws if there is no answer to show. */
  #stopReason({ reason, line }: RunEnd): StopReason {
    switch (reason) {
      case 'completed':
        return 'end_turn';
      case 'interrupted':
        return 'cancelled';
      case 'max_turns':
      case 'max_usd':
      case 'no_structured_output':
        this.#tell(line);
        return 'max_turn_requests';
      case 'max_tokens':
        this.#tell(line);
        return 'max_tokens';
      case 'refused':
      case 'prompt_refused':
      case 'hook_stopped':
        this.#tell(line);
        return 'refusal';
      case 'empty_prompt':
        throw RequestError.invalidParams(undefined, line);
      case 'api_error':
      case 'overflow':
      case 'not_saved':
        throw RequestError.internalError(undefined, line);
      default:
        return reason satisfies never;
    }
  }

  #tell(line: string | undefined): void {
    if (line !== undefined) this.#outbox.push(chunk('agent_message_chunk', line));
  }

  async #runTyped(typed: Typed): Promise<StopReason> {
    this.#tell((await runTyped(this.session, typed)).line);
    return 'end_turn';
  }

  /** Only changed values. */
  async #tellCommands(): Promise<void> {
    const commands = await availableCommands(this.session);
    const now = JSON.stringify(commands);
    if (now === this.#commands) return;
    this.#commands = now;
    this.#outbox.push({ sessionUpdate: 'available_commands_update', availableCommands: commands });
  }
}

function isMode(mode: string): mode is PermissionMode {
  return PERMISSION_MODES.some((one) => one === mode);
}
