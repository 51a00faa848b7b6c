/** Shows a session's events as lines: streaming replies, calls and results, faults, and what agents do. */

import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { type AgentEvent, MAIN_AGENT, type SessionEvent } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import { type CallView, openCalls } from '../../view/agent-calls.js';
import { describeCall, describeResult } from '../../view/describe/describe-call.js';
import { type DiffLine, editDiff } from '../../view/edit-diff.js';
import { InertStream } from '../../view/inert-stream.js';
import { readLine } from '../../view/items/read-line.js';
import type { Paint } from '../../view/paint.js';
import { progressLine } from '../../view/progress-line.js';
import type { SessionView } from '../../view/session-view.js';
import type { Screen } from './screen.js';

type CallFinished = Extract<AgentEvent, { kind: 'call-finished' }>;

const MAX_DIFF_LINES = 12;
const MAX_RESULT_LINES = 20;

export class PlainView {
  readonly #screen: Screen;
  readonly #paint: Paint;
  readonly #verbose: boolean;
  readonly #waiting: { readonly sessionEvent: SessionEvent; readonly call: CallView | undefined }[] = [];
  #draining = false;
  #drained: Promise<void> = Promise.resolve();
  /** The block being streamed: its kind and number. */
  #open: { readonly kind: 'text' | 'thinking'; readonly index: number } | undefined;
  #inert = new InertStream();

  constructor(screen: Screen, paint: Paint, verbose: boolean) {
    this.#screen = screen;
    this.#paint = paint;
    this.#verbose = verbose;
  }

  /** Keeps the order even while a diff is computed; therefore the call is looked up in the view right away. */
  readonly show = (view: SessionView, sessionEvent: SessionEvent): void => {
    this.#waiting.push({ sessionEvent, call: finishedCall(view, sessionEvent) });
    if (!this.#draining) this.#drained = this.#drain();
  };

  /** Resolves when every event so far is shown. */
  async settled(): Promise<void> {
    await this.#drained;
    this.#close();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { sessionEvent, call } = next;
      const more =
        sessionEvent.agent === MAIN_AGENT
          ? this.#showMain(sessionEvent.event, call)
          : this.#showChild(sessionEvent, call);
      if (more !== undefined) await more;
    }
    this.#draining = false;
  }

  #showMain(event: AgentEvent, call: CallView | undefined): Promise<void> | undefined {
    switch (event.kind) {
      case 'text-streamed':
        this.#stream('text', event.index, event.text);
        return undefined;
      case 'thinking-streamed':
        if (this.#verbose) this.#stream('thinking', event.index, event.text);
        return undefined;
      case 'response-discarded':
        if (this.#open !== undefined) this.#line(this.#paint.warn('! Ignore the partial reply above.'));
        return undefined;
      case 'todos-changed':
        for (const item of event.items) this.#line(`  ${describeTodo(item)}`);
        return undefined;
      case 'run-ended':
        this.#showLine(event);
        // Nobody may be waiting for the end of a run that a notice started: show the prompt again.
        this.#close();
        return undefined;
      default:
        return this.#showCommon(event, '', call);
    }
  }

  /** For a child, shows what it does, not its replies; its result goes to its parent. */
  #showChild({ agent, event }: SessionEvent, call: CallView | undefined): Promise<void> | undefined {
    const name = `[${stripControls(agent)}] `;
    const line = progressLine('plain', event);
    if (line === undefined) return this.#showCommon(event, name, call);
    this.#line(`${name}${line}`);
    return undefined;
  }

  #showCommon(event: AgentEvent, who: string, call: CallView | undefined): Promise<void> | undefined {
    switch (event.kind) {
      case 'call-started':
        this.#line(this.#paint.bold(`* ${who}${describeCall(event.tool, event.input)}`));
        return undefined;
      case 'call-finished':
        return this.#showResult(event, who, call);
      case 'call-progressed':
        if (this.#verbose) this.#line(this.#paint.dim(`  ${who}${stripToLine(event.line)}`));
        return undefined;
      case 'fault-met':
        this.#line(this.#paint.warn(`! ${who}${stripControls(event.line)}`));
        return undefined;
      case 'line-shown':
        if (event.level === 'info' && !this.#verbose) return undefined;
        this.#line(`${event.level === 'info' ? '' : this.#paint.warn('! ')}${who}${stripControls(event.line)}`);
        return undefined;
      default:
        if (who === '') this.#showLine(event);
        return undefined;
    }
  }

  /** A line about the conversation. */
  #showLine(event: AgentEvent): void {
    const line = REPORTED_BY_COMMAND.has(event.kind) ? undefined : readLine(event);
    if (line === undefined) return;
    const { dim, warn, bad } = this.#paint;
    const text = stripControls(line.text);
    if (event.kind === 'mode-changed') this.#line(text);
    else if (event.kind === 'compaction-began') this.#line(dim(`(${text}; Ctrl+C stops it)`));
    else if (line.level === 'error') this.#line(bad(`! ${text}`));
    else this.#line((line.level === 'warning' ? warn : dim)(`(${text})`));
  }

  async #showResult(event: CallFinished, who: string, call: CallView | undefined): Promise<void> {
    const { first, more } = describeResult(event.blocks);
    const tool = describeCall(call ? event.tool : `(unknown call) ${event.tool}`, {}).replace(/: \{\}$/, '');
    const state = event.isError ? this.#paint.bad('failed') : 'done';
    const rest = more.length > 0 && !this.#verbose ? ` (+${plural(more.length, 'line')})` : '';
    this.#line(`  ${who}${tool} ${state}: ${first}${rest}`);
    if (this.#verbose) for (const line of more.slice(0, MAX_RESULT_LINES)) this.#line(this.#paint.dim(`    ${line}`));
    if (event.isError) return;
    const diff = await editDiff(event.tool, call?.input);
    if (diff !== undefined) this.#showDiff(diff);
  }

  #showDiff(diff: readonly DiffLine[]): void {
    for (const { sign, text } of diff.slice(0, MAX_DIFF_LINES)) {
      const colour = sign === '+' ? this.#paint.good : sign === '-' ? this.#paint.bad : this.#paint.dim;
      this.#line(colour(`    ${sign} ${text}`));
    }
    const left = diff.length - MAX_DIFF_LINES;
    if (left > 0) this.#line(this.#paint.dim(`    … ${plural(left, 'more line')}`));
  }

  #stream(kind: 'text' | 'thinking', index: number, piece: string): void {
    if (this.#open?.kind !== kind || this.#open.index !== index) {
      this.#close();
      this.#open = { kind, index };
    }
    this.#writeOpen(this.#inert.push(piece));
  }

  #writeOpen(text: string): void {
    if (text !== '') this.#screen.write(this.#open?.kind === 'thinking' ? this.#paint.dim(text) : text);
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#writeOpen(this.#inert.end());
    this.#open = undefined;
    this.#screen.endLine();
  }

  #line(text: string): void {
    this.#close();
    this.#screen.line(text);
  }
}

/** Undefined for a call that never started: the tool is unknown or the input invalid. */
function finishedCall({ agents }: SessionView, { agent: id, event }: SessionEvent): CallView | undefined {
  const agent = event.kind === 'call-finished' ? agents.get(id) : undefined;
  return agent && openCalls(agent).find((call) => call.id === (event as CallFinished).call);
}

const TODO_MARKS: Readonly<Record<string, string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

function describeTodo(item: unknown): string {
  const { content, status } = (item ?? {}) as { readonly content?: unknown; readonly status?: unknown };
  return `${TODO_MARKS[String(status)] ?? '[ ]'} ${stripToLine(String(content))}`;
}

/** Events that follow a slash command, which reports them itself. */
const REPORTED_BY_COMMAND: ReadonlySet<AgentEvent['kind']> = new Set([
  'compaction-failed',
  'history-rewound',
  'epoch-started',
]);
