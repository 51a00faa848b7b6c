/** Turns the events of a session, live or from its transcript, into the protocol's updates. */

import type { PlanEntry, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { UserBlock } from '../../protocol/blocks.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { type AgentEvent, type DurableEventOf, MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { PermissionQuestion } from '../../protocol/permission.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import { describeCall, member } from '../view/describe/describe-call.js';
import { readLine } from '../view/items/read-line.js';
import { readNotice } from '../view/read-notice.js';
import type { SessionView } from '../view/session-view.js';
import { ChildProgress } from './child-progress.js';
import { fenced, type ReadCurrent, showCall, showResult, textContent } from './tool-calls.js';

export type UpdatesOptions = {
  readonly cwd: string;
  readonly readCurrent: ReadCurrent;
  /** The client shows notices; otherwise they are thoughts. */
  readonly notices: boolean;
  readonly push: (update: SessionUpdate) => void;
};

type KnownCall = { readonly agent: string; readonly diff: ToolCallContent[]; readonly lines: string[] };

const MOST_LINES = 20;

export class SessionUpdates {
  readonly #options: UpdatesOptions;
  readonly #children = new ChildProgress();
  /** Open calls that are shown. */
  readonly #calls = new Map<string, KnownCall>();
  /** The calls that show forks of the user, by agent. */
  readonly #byHand = new Map<string, string>();
  /** Streamed parts of the current reply. */
  #streamed = new Set<'text' | 'thinking'>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** `view`: its state after the event. */
  take(sessionEvent: SessionEvent, view: SessionView): void {
    const { agent, event } = sessionEvent;
    const { push } = this.#options;
    if (agent !== MAIN_AGENT) {
      this.#takeOfChild(sessionEvent, view);
      return;
    }
    switch (event.kind) {
      case 'request-sent':
        this.#streamed = new Set();
        break;
      case 'text-streamed':
        this.#streamed.add('text');
        push(chunk('agent_message_chunk', event.text));
        break;
      case 'thinking-streamed':
        this.#streamed.add('thinking');
        push(chunk('agent_thought_chunk', event.text));
        break;
      case 'assistant-replied':
        this.#takeReply(event);
        break;
      case 'call-started':
        this.#start(event.call, event.tool, event.input);
        break;
      case 'call-progressed':
        this.#progress(event.call, event.line);
        break;
      case 'call-finished':
        this.#finish(event);
        break;
      case 'todos-changed':
        push({ sessionUpdate: 'plan', entries: event.items.flatMap(planEntry) });
        break;
      case 'mode-changed':
        push({ sessionUpdate: 'current_mode_update', currentModeId: event.mode });
        break;
      case 'input-admitted':
        this.#showNotice(event);
        break;
      default:
        this.#sayLine(event);
    }
  }

  /** A line about the conversation. */
  #sayLine(event: AgentEvent): void {
    const line = SEEN_ELSEWHERE.has(event.kind) ? undefined : readLine(event);
    if (line !== undefined) this.say(line.level, OWN_WORDS[event.kind] ?? line.text);
  }

  /** A line for the user that is not part of the answer. */
  say(severity: 'info' | 'warning' | 'error', line: string): void {
    const { notices, push } = this.#options;
    const title = stripControls(line);
    const mark = severity === 'info' ? '' : '! ';
    if (notices) push({ sessionUpdate: 'notice', severity, title });
    else push(chunk('agent_thought_chunk', `\n\n${mark}${title}\n\n`));
  }

  /** The user's prompts, when a conversation is replayed. */
  showPrompt(blocks: readonly FrozenBlock[]): void {
    for (const block of blocks.map(parseBlock) as UserBlock[]) {
      if (block.type === 'image') {
        const { data, media_type: mimeType } = block.source;
        this.#options.push({ sessionUpdate: 'user_message_chunk', content: { type: 'image', data, mimeType } });
      }
      // Text added to the user's prompt is left out.
      if (block.type === 'text' && !block.text.startsWith('<system-reminder>'))
        this.#options.push(chunk('user_message_chunk', block.text));
    }
  }

  /** The call of a question in full; from here on, the editor knows it. An agent may have its own `cwd`. */
  showAsked({ agent, call, cwd }: PermissionQuestion, who: string, question: string | undefined): ToolCallUpdate {
    const { id, tool, input } = call;
    const shown = showCall(tool, input, cwd, this.#options.readCurrent);
    const title = question ?? (agent.id === MAIN_AGENT ? shown.title : `${who}: ${shown.title}`);
    const fields = { ...shown, title, status: 'pending' as const, rawInput: input };
    if (!this.#calls.has(id)) {
      this.#calls.set(id, { agent: agent.id, diff: shown.content, lines: [] });
      this.#options.push({ sessionUpdate: 'tool_call', toolCallId: id, ...fields });
    }
    return { toolCallId: id, ...fields };
  }

  /** Ends the entry of a question without a call. */
  endAsked(id: string, isAllowed: boolean): void {
    if (this.#calls.has(id)) this.#close(id, isAllowed ? 'completed' : 'failed');
  }

  isUnderWay(call: string): boolean {
    return this.#calls.has(call);
  }

  /** Ends calls that were open when the process ended. */
  endOpenCalls(hasEnded: (call: string) => boolean): void {
    for (const call of this.#calls.keys()) if (hasEnded(call)) this.#close(call, 'failed');
  }

  #takeReply({ blocks }: DurableEventOf<'assistant-replied'>): void {
    for (const block of blocks.map(parseBlock)) {
      if (block.type === 'text' && !this.#streamed.has('text'))
        this.#options.push(chunk('agent_message_chunk', block.text));
      if (block.type === 'thinking' && !this.#streamed.has('thinking') && block.thinking !== '')
        this.#options.push(chunk('agent_thought_chunk', block.thinking));
      if (block.type === 'tool_use') this.#announce(block.id, block.name, block.input);
    }
    this.#streamed = new Set();
  }

  /** A todo list is shown only as the plan. */
  #announce(call: string, tool: string, input: unknown, status: 'pending' | 'in_progress' = 'pending'): void {
    if (factsOf(tool).hasOwnItem || this.#calls.has(call)) return;
    const shown = showCall(tool, input, this.#options.cwd, this.#options.readCurrent);
    this.#calls.set(call, { agent: MAIN_AGENT, diff: shown.content, lines: [] });
    this.#options.push({ sessionUpdate: 'tool_call', toolCallId: call, ...shown, status, rawInput: input });
  }

  /** Calls outside the conversation (`@file`, a typed skill) start here. */
  #start(call: string, tool: string, input: unknown): void {
    if (!this.#calls.has(call)) this.#announce(call, tool, input, 'in_progress');
    else
      this.#options.push({
        sessionUpdate: 'tool_call_update',
        toolCallId: call,
        status: 'in_progress',
        rawInput: input,
      });
  }

  #progress(call: string, line: string): void {
    const known = this.#calls.get(call);
    if (known === undefined) return;
    known.lines.push(line);
    if (known.lines.length > MOST_LINES) known.lines.shift();
    const content = [...known.diff, textContent(fenced(known.lines.join('\n')))];
    this.#options.push({ sessionUpdate: 'tool_call_update', toolCallId: call, content });
  }

  #finish({ call, tool, isError, blocks }: DurableEventOf<'call-finished'>): void {
    const known = this.#calls.get(call);
    if (known === undefined) return;
    this.#calls.delete(call);
    const result = showResult(tool, isError, blocks, known.diff);
    this.#options.push({ sessionUpdate: 'tool_call_update', toolCallId: call, ...result });
  }

  /** The end of a background task: a separate entry, because its call ended long ago. */
  #showNotice({ notice, blocks }: DurableEventOf<'input-admitted'>): void {
    if (notice === undefined) return;
    const { status, summary, outputFile } = readNotice(blocks);
    this.#options.push({
      sessionUpdate: 'tool_call',
      toolCallId: `notice-${notice.agent}-${notice.run}`,
      title: escapeToLine(summary === '' ? `${notice.agent}: ${status}` : summary),
      kind: 'think',
      status: status === 'completed' ? 'completed' : 'failed',
      ...(outputFile === '' ? {} : { locations: [{ path: outputFile }] }),
    });
  }

  #takeOfChild(sessionEvent: SessionEvent, view: SessionView): void {
    const { agent, event } = sessionEvent;
    const { push } = this.#options;
    const child = view.agents.get(agent);
    const text = this.#children.take(sessionEvent, child);
    const call = this.#children.callOf(agent);
    if (event.kind === 'agent-spawned' && call !== undefined) this.#showByHand(agent, call, event);
    // An ended call shows its result, unless its agent moved to the background.
    const isShown = call !== undefined && (this.#calls.has(call) || child?.background === true);
    if (text !== undefined && isShown)
      push({ sessionUpdate: 'tool_call_update', toolCallId: call, content: [textContent(stripControls(text))] });
    if (event.kind === 'agent-state-changed') this.#end(agent, event.state);
    // Only a call that asked is shown separately.
    if (event.kind === 'call-started' && this.#calls.has(event.call))
      push({ sessionUpdate: 'tool_call_update', toolCallId: event.call, status: 'in_progress' });
    if (event.kind === 'call-finished') this.#finish(event);
  }

  /** A fork that the user started: no call of the conversation shows it. */
  #showByHand(agent: string, call: string, event: DurableEventOf<'agent-spawned'>): void {
    if (event.parent !== MAIN_AGENT || this.#calls.has(call)) return;
    this.#byHand.set(agent, call);
    this.#calls.set(call, { agent: MAIN_AGENT, diff: [], lines: [] });
    const title = describeCall('Agent', { description: `${event.name ?? event.type}: ${event.description}` });
    this.#options.push({ sessionUpdate: 'tool_call', toolCallId: call, title, kind: 'think', status: 'in_progress' });
  }

  #end(agent: string, state: DurableEventOf<'agent-state-changed'>['state']): void {
    if (state === 'running' || state === 'waiting') return;
    // Ends a call that it asked about: an interrupted one has no result.
    for (const [call, known] of this.#calls) if (known.agent === agent) this.#close(call, 'failed');
    const call = this.#byHand.get(agent);
    if (call === undefined) return;
    this.#byHand.delete(agent);
    this.#close(call, state === 'completed' ? 'completed' : 'failed');
  }

  #close(call: string, status: 'completed' | 'failed'): void {
    this.#calls.delete(call);
    this.#options.push({ sessionUpdate: 'tool_call_update', toolCallId: call, status });
  }
}

/** Left out: the editor gets these in the response to its request, or as options of the session. */
const SEEN_ELSEWHERE: ReadonlySet<AgentEvent['kind']> = new Set([
  'run-ended',
  'epoch-started',
  'history-cleared',
  'history-rewound',
  'compaction-failed',
]);

const OWN_WORDS: Partial<Record<AgentEvent['kind'], string>> = {
  'compaction-began': 'Compacting the conversation.',
  'history-compacted': 'The conversation was compacted: earlier messages are no longer sent.',
};

export function chunk(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } };
}

function planEntry(item: unknown): readonly PlanEntry[] {
  const [content, status] = [member(item, 'content'), member(item, 'status')];
  if (typeof content !== 'string') return [];
  const known = status === 'in_progress' || status === 'completed' ? status : 'pending';
  return [{ content, priority: 'medium', status: known }];
}
