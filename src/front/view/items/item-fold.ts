/**
 * Turns the events of one agent into the items of a conversation: in order, each once. It needs only the durable
 * events, so a transcript reads like its session. A call becomes an item when it ends; a message to the agent when the
 * agent reads it, so queued and withdrawn messages are none.
 *
 * With `streams`, the caller shows a reply's text from `text-streamed` and passes every event to the fold, too. The
 * fold then skips each text of which it saw a part, and nothing else, so that no text is shown twice or not at all.
 * Thinking becomes an item as soon as it ends, before the text that follows it.
 */

import type { AgentEvent, DurableEventOf } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import type { Item } from './item.js';
import { readInput } from './read-input.js';
import { type LineItem, readLine } from './read-line.js';

type Call = { readonly tool: string; readonly input: unknown };

export class ItemFold {
  readonly #streams: boolean;
  /** Unfinished calls. */
  readonly #calls = new Map<string, Call>();
  /** Commands outside the conversation whose command line is not known yet. */
  readonly #asides = new Map<string, DurableEventOf<'call-finished'>>();
  /** Messages the agent has not read yet, by their record. */
  readonly #inputs = new Map<number, Item>();
  /** Blocks of the current reply that are shown: texts by index, and the number of thinking blocks. */
  #texts = new Set<number>();
  #thoughts = 0;
  #thinking: { readonly index: number; text: string } | undefined;
  /** The line about a delayed request that has no response yet. */
  #putOff: LineItem | undefined;
  /** The last fault, until it is known whether it ends the run. */
  #fault: LineItem | undefined;

  constructor({ streams = false }: { readonly streams?: boolean } = {}) {
    this.#streams = streams;
  }

  take(event: AgentEvent, seq: number | undefined): readonly Item[] {
    const fault = this.#fault;
    this.#fault = undefined;
    const items = this.#takeNext(event, seq);
    // The end of the run repeats it.
    if (fault === undefined || (event.kind === 'run-ended' && event.line === fault.text)) return items;
    return [fault, ...items];
  }

  #takeNext(event: AgentEvent, seq: number | undefined): readonly Item[] {
    switch (event.kind) {
      case 'input-admitted':
        return this.#admit(event, seq);
      case 'message-joined':
        return event.from.flatMap((input) => this.#read(input));
      case 'input-withdrawn':
        for (const input of event.inputs) this.#inputs.delete(input);
        return [];
      case 'request-sent':
      case 'response-began':
        this.#beginReply();
        return [];
      case 'text-streamed':
        return this.#streamText(event.index, event.text);
      case 'thinking-streamed':
        return this.#streamThinking(event.index, event.text);
      case 'block-began':
      case 'block-finished':
        return this.#endThinking();
      case 'assistant-replied':
        return this.#reply(event);
      case 'response-discarded':
        return this.#discard(event.line);
      case 'call-started':
        this.#calls.set(event.call, { tool: event.tool, input: event.input });
        return [];
      case 'call-finished':
        return this.#finish(event);
      case 'todos-changed':
        return [{ kind: 'todos', items: event.items }];
      case 'fault-met':
        return this.#meetFault(event);
      case 'run-ended':
        return this.#endRun(event);
      case 'history-cleared':
      case 'history-rewound':
        if (event.kind === 'history-cleared' || event.conversation) this.#inputs.clear();
        return listOf(readLine(event));
      default:
        return listOf(readLine(event));
    }
  }

  #admit(event: DurableEventOf<'input-admitted'>, seq: number | undefined): readonly Item[] {
    if (event.shell !== undefined) return this.#ranInShell(event.shell);
    const item = readInput(event, seq ?? 0);
    if (item === undefined || seq === undefined) return listOf(item);
    this.#inputs.set(seq, item);
    return [];
  }

  #read(input: number): readonly Item[] {
    const item = this.#inputs.get(input);
    this.#inputs.delete(input);
    return listOf(item);
  }

  #beginReply(): void {
    this.#texts = new Set();
    this.#thoughts = 0;
    this.#thinking = undefined;
  }

  #streamText(index: number, text: string): readonly Item[] {
    if (!this.#streams) return [];
    // White space alone is no part of a reply.
    if (text.trim() !== '') this.#texts.add(index);
    return this.#endThinking();
  }

  #streamThinking(index: number, text: string): readonly Item[] {
    if (!this.#streams) return [];
    if (this.#thinking?.index === index) {
      this.#thinking.text += text;
      return [];
    }
    const before = this.#endThinking();
    this.#thinking = { index, text };
    return before;
  }

  #endThinking(): readonly Item[] {
    const text = this.#thinking?.text ?? '';
    this.#thinking = undefined;
    if (text === '') return [];
    this.#thoughts += 1;
    return [{ kind: 'thinking', text }];
  }

  #reply({ blocks }: DurableEventOf<'assistant-replied'>): readonly Item[] {
    let [texts, thoughts] = [this.#texts.size, this.#thoughts];
    this.#beginReply();
    this.#putOff = undefined;
    const items: Item[] = [];
    for (const block of blocks.map(parseBlock)) {
      if (block.type === 'tool_use') this.#calls.set(block.id, { tool: block.name, input: block.input });
      if (block.type === 'text' && block.text.trim() !== '' && texts-- <= 0)
        items.push({ kind: 'text', text: block.text });
      if (block.type === 'thinking' && block.thinking !== '' && thoughts-- <= 0)
        items.push({ kind: 'thinking', text: block.thinking });
    }
    return items;
  }

  /** If nothing of it was shown, there is nothing to retract. */
  #discard(line: string): readonly Item[] {
    const isShown = this.#texts.size > 0;
    this.#beginReply();
    return isShown ? [{ kind: 'line', level: 'warning', text: `Ignore the partial reply above: ${line}` }] : [];
  }

  #finish(event: DurableEventOf<'call-finished'>): readonly Item[] {
    const { call, tool, aside, isError, ms, blocks } = event;
    const known = this.#calls.get(call);
    this.#calls.delete(call);
    if (aside && tool === 'Bash' && known === undefined) this.#asides.set(call, event);
    // Files named in a prompt are counted there; no record has the input of a call outside the conversation.
    if (aside && (tool !== 'Bash' || known === undefined)) return [];
    // The list itself is an item.
    if (factsOf(tool).hasOwnItem && !isError) return [];
    const own = aside && call.startsWith(TYPED_CALL_PREFIX) ? { isOwn: true as const } : {};
    return [{ kind: 'call', call, tool, input: known?.input, isError, ms, result: blocks, ...own }];
  }

  /** Shell commands of the user (`!`) are recorded only here; live, each was shown when it ended. */
  #ranInShell({ call, command }: { readonly call: string; readonly command: string }): readonly Item[] {
    const finished = this.#asides.get(call);
    this.#asides.delete(call);
    if (finished === undefined) return [];
    const { isError, ms, blocks } = finished;
    return [{ kind: 'call', call, tool: 'Bash', input: { command }, isError, ms, result: blocks, isOwn: true }];
  }

  /** While a request is delayed repeatedly, the last line is enough. */
  #meetFault({ line, retry }: DurableEventOf<'fault-met'>): readonly Item[] {
    const item: LineItem = { kind: 'line', level: 'warning', text: line };
    this.#putOff = retry === undefined ? undefined : item;
    if (retry === undefined) this.#fault = item;
    return [];
  }

  #endRun(event: DurableEventOf<'run-ended'>): readonly Item[] {
    const before = this.#putOff === undefined || event.line === this.#putOff.text ? [] : [this.#putOff];
    this.#putOff = undefined;
    return [...this.#endThinking(), ...before, ...listOf(readLine(event))];
  }
}

function listOf(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

/** Prefix of the calls that clients make for typed commands. */
const TYPED_CALL_PREFIX = 'typed-';
