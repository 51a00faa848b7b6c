/** Collects a reply while it streams, and selects the blocks that the API accepts in a conversation. */

import type { ModelFault } from '../../model/fault.js';
import type { FinishedBlock, ModelEvent } from '../../model/model-client.js';
import { text } from '../../protocol/blocks.js';
import { decode, type FrozenBlock, freezeBlock, freezeToolUse, isBlankText } from '../../protocol/frozen-block.js';
import { sliceMembers } from '../../protocol/json/json-slices.js';
import { inputTokens, NO_USAGE, type Usage } from '../../protocol/usage.js';
import type { CallIds } from '../../session/state/agent-state.js';
import type { Call } from '../run.js';

export type Reply = { readonly blocks: readonly FrozenBlock[]; readonly calls: readonly Call[]; readonly text: string };

/** The most an attempt can use: all of its input and the output limit. */
export type MostUsed = { readonly input: Usage; readonly output: number };

export class ReplyDraft {
  response = '';
  model = '';
  usage: Usage = NO_USAGE;
  readonly #finished = new Map<number, FinishedBlock>();
  readonly #received = new Map<number, string>();
  #bytesReceived = 0;
  /** Thinking streams only as a summary but is billed in full. */
  #hasThinking = false;
  #hasBegun = false;

  take(event: ModelEvent): void {
    switch (event.type) {
      case 'response-began':
        this.#hasBegun = true;
        this.response = event.id;
        this.model = event.model;
        this.usage = event.usage;
        return;
      case 'text-streamed':
        this.#received.set(event.index, (this.#received.get(event.index) ?? '') + event.text);
        this.#bytesReceived += Buffer.byteLength(event.text);
        return;
      case 'thinking-streamed':
        this.#hasThinking = true;
        this.#bytesReceived += Buffer.byteLength(event.text);
        return;
      case 'call-streamed':
        this.#bytesReceived += Buffer.byteLength(event.json);
        return;
      case 'block-finished':
        this.#finished.set(event.index, event.block);
        this.#hasThinking ||= !event.block.frozen.takesBreakpoint;
        return;
      default:
    }
  }

  /** The upper bound of a failed attempt's usage: providers report figures only for completed responses. */
  mostUsed(fault: ModelFault, most: MostUsed): Usage {
    if (!this.#hasBegun) return mayBePaid(fault) ? most.input : NO_USAGE;
    if (inputTokens(this.usage) === 0) return this.mostOf(most);
    const { output } = this.usage;
    return { ...this.usage, output: Math.max(output, this.mostOf(most).output) };
  }

  /** The upper bound for a reply without reported usage. */
  mostOf({ input, output }: MostUsed): Usage {
    return { ...input, output: this.#hasThinking ? output : Math.min(output, this.#bytesReceived) };
  }

  get estimatedOutput(): number {
    return Math.ceil(this.#bytesReceived / 3.5);
  }

  /** Builds the reply: drops blank text and trailing thinking, and renames ids that were used before. */
  reply(callIds: CallIds, stop: string): Reply {
    const finished = [...this.#finished].sort(([a], [b]) => a - b).map(([, block]) => block);
    const kept = dropTrailingThinking(finished.filter(({ block }) => !isBlankText(block)));
    const blocks: FrozenBlock[] = [];
    const calls: Call[] = [];
    const seen = new Map<string, string>();
    const taken = new Set<string>();
    kept.forEach((item, index) => {
      const { block } = item;
      if (block.type !== 'tool_use') {
        blocks.push(item.frozen);
        return;
      }
      const inputJson = inputBytes(item.frozen);
      // An identical repeated call is dropped; a different call with the same id gets a new id.
      if (seen.get(block.id) === `${block.name} ${inputJson}`) return;
      seen.set(block.id, `${block.name} ${inputJson}`);
      const id = freeId(block.id, (one) => taken.has(one) || callIds.has(one));
      taken.add(id);
      const cut = stop === 'max_tokens' && index === kept.length - 1;
      blocks.push(id === block.id ? item.frozen : freezeToolUse(id, block.name, inputJson));
      calls.push({ use: { ...block, id }, ...unusable(item, cut) });
    });
    const spoken = kept.flatMap(({ block }) => (block.type === 'text' ? [block.text] : []));
    return { blocks, calls, text: spoken.join('\n') };
  }

  get hasThought(): boolean {
    return [...this.#finished.values()].some(({ frozen }) => !frozen.takesBreakpoint);
  }

  /** The text of the finished blocks. */
  finishedText(): string {
    const blocks = [...this.#finished].sort(([a], [b]) => a - b);
    return blocks.map(([, { block }]) => (block.type === 'text' ? block.text : '')).join('');
  }

  /** The text so far, finished or not, to keep from an interrupted reply. */
  textBlocks(): readonly FrozenBlock[] {
    return [...this.#received]
      .sort(([a], [b]) => a - b)
      .map(([, received]) => text(received.trimEnd()))
      .filter((block) => !isBlankText(block))
      .map(freezeBlock);
  }
}

/** True if the provider may have received the request without rejecting it. */
function mayBePaid(fault: ModelFault): boolean {
  switch (fault.kind) {
    case 'aborted':
      return fault.unsent !== true;
    case 'no-connection':
    case 'stream-cut':
    case 'stream-malformed':
    case 'stream-silent':
      return true;
    default:
      return false;
  }
}

/** The API rejects a message that ends with thinking. */
function dropTrailingThinking(blocks: readonly FinishedBlock[]): readonly FinishedBlock[] {
  const last = blocks.findLastIndex(({ frozen }) => frozen.takesBreakpoint);
  return blocks.slice(0, last + 1);
}

function unusable(item: FinishedBlock, cut: boolean): { unusable?: string } {
  if (cut) {
    return {
      unusable:
        'Not run: your reply reached the output limit inside this call, so its input may be incomplete. ' +
        'Call it again with less in one call, for example in several smaller steps.',
    };
  }
  if (item.malformedInput === undefined) return {};
  const start = item.malformedInput.slice(0, 200);
  return { unusable: `Not run: the input is not a valid JSON object. It begins: ${start}` };
}

function freeId(id: string, isTaken: (id: string) => boolean): string {
  const base = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  let free = base;
  for (let n = 2; isTaken(free); n += 1) free = `${base}_${n}`;
  return free;
}

function inputBytes(block: FrozenBlock): string {
  const at = sliceMembers(block.bytes).get('input');
  return at ? decode(block.bytes.subarray(at.start, at.end)) : '{}';
}
