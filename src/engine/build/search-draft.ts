/** Collects the streamed reply to a search: results, text, and the blocks to send back if it is continued. */

import { type MostUsed, ReplyDraft } from '../../loop/stream/reply-draft.js';
import type { ModelFault } from '../../model/fault.js';
import type { ModelEvent } from '../../model/model-client.js';
import type { SearchPart } from '../../model/search.js';
import { type FrozenBlock, isBlankText } from '../../protocol/frozen-block.js';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/usage.js';
import type { WebSearchPart } from '../../tools/web/search-port.js';

type Piece = {
  readonly frozen: FrozenBlock;
  readonly part?: SearchPart | { readonly kind: 'said'; readonly text: string };
};

export class SearchDraft {
  readonly #reply = new ReplyDraft();
  readonly #pieces = new Map<number, Piece>();

  take(event: ModelEvent): void {
    this.#reply.take(event);
    if (event.type === 'search-finished') {
      const { part, frozen } = event.search;
      this.#pieces.set(event.index, { frozen, part });
    }
    if (event.type !== 'block-finished') return;
    const { block, frozen } = event.block;
    // It has none of our tools to call.
    if (isBlankText(block) || block.type === 'tool_use') return;
    this.#pieces.set(event.index, {
      frozen,
      ...(block.type === 'text' ? { part: { kind: 'said', text: block.text } } : {}),
    });
  }

  /** Of an incomplete reply: as far as the provider reported it, and the searches seen so far. */
  get usage(): Usage {
    return addUsage(this.#reply.usage, this.#searchesSeen);
  }

  mostUsed(fault: ModelFault, most: MostUsed): Usage {
    return addUsage(this.#reply.mostUsed(fault, most), this.#searchesSeen);
  }

  mostOf(most: MostUsed): Usage {
    return addUsage(this.#reply.mostOf(most), this.#searchesSeen);
  }

  /** Its blocks, to be sent back after a pause. The API refuses a message that ends with thinking. */
  continuation(): readonly FrozenBlock[] {
    const blocks = this.#inOrder().map(({ frozen }) => frozen);
    return blocks.slice(0, blocks.findLastIndex(({ takesBreakpoint }) => takesBreakpoint) + 1);
  }

  /** Joins the blocks of a text with citations into one part. */
  parts(explain: (code: string) => string): readonly WebSearchPart[] {
    const parts: WebSearchPart[] = [];
    for (const { part } of this.#inOrder()) {
      const last = parts.at(-1);
      if (part?.kind === 'found') parts.push(part);
      if (part?.kind === 'failed') parts.push({ kind: 'failed', reason: explain(part.code) });
      if (part?.kind !== 'said') continue;
      if (last?.kind === 'said') parts.splice(-1, 1, { kind: 'said', text: last.text + part.text });
      else parts.push(part);
    }
    return parts;
  }

  #inOrder(): readonly Piece[] {
    return [...this.#pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece);
  }

  get #searchesSeen(): Usage {
    const found = [...this.#pieces.values()].filter(({ part }) => part?.kind === 'found').length;
    return found === 0 ? NO_USAGE : { ...NO_USAGE, webSearches: found };
  }
}
