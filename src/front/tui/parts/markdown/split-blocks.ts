/**
 * Splits streaming text into Markdown blocks, each of which can be shown on its own and is final. A block that gets long
 * is emitted in parts (lines of code, items, rows of a table under their header), so that the pending text stays small.
 * The cuts depend on the text alone, not on the pieces it arrives in; every line is processed once.
 *
 * A block that begins with an empty line is shown with an empty row before it: the rows of all blocks together are the
 * rows of the whole. The text is safe to show already (`InertStream`).
 */

import {
  closesFence,
  cutAt,
  type Fence,
  indentOf,
  interruptsText,
  isHeading,
  isQuote,
  isRule,
  isTableRule,
  itemColumn,
  LONGEST_LINE,
  openedFence,
  shifted,
} from './line-kinds.js';

/** From the first size on a part ends at the next good place, at the second one anywhere. */
const LONG = { lines: 24, most: 48, chars: 4_000 };

type Open =
  | { readonly kind: 'text' | 'quote' }
  /** `shift`: the indentation of a fence within a list. */
  | { readonly kind: 'fence'; readonly fence: Fence; readonly shift: number }
  | { readonly kind: 'table'; readonly head: readonly string[] }
  | { readonly kind: 'list'; column: number; fence: Fence | undefined; isBlank: boolean };

export class BlockSplitter {
  #partial = '';
  #lines: string[] = [];
  #chars = 0;
  #open: Open | undefined;
  #hasBegun = false;
  /** An empty line precedes the block. */
  #gap = false;
  #out: string[] = [];

  /** Returns the blocks that are complete now. */
  push(delta: string): string[] {
    let from = 0;
    for (let end = delta.indexOf('\n'); end !== -1; end = delta.indexOf('\n', from)) {
      this.#extend(delta.slice(from, end));
      this.#take(this.#partial);
      this.#partial = '';
      from = end + 1;
    }
    this.#extend(delta.slice(from));
    return this.#given();
  }

  /** The text that is not emitted yet. */
  get tail(): string {
    if (this.#partial === '' && !this.#hasSome()) return '';
    const lines = [...this.#head(), ...this.#lines, ...(this.#partial === '' ? [] : [this.#partial])];
    return `${this.#gap ? '\n' : ''}${lines.join('\n')}`;
  }

  /** Returns the rest, at the end of the text. Another text may follow. */
  end(): string[] {
    if (this.#partial !== '') this.#take(this.#partial);
    this.#partial = '';
    this.#release();
    [this.#open, this.#hasBegun, this.#gap] = [undefined, false, false];
    return this.#given();
  }

  #given(): string[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #extend(text: string): void {
    this.#partial += text;
    while (this.#partial.length > LONGEST_LINE) {
      const end = cutAt(this.#partial);
      this.#take(this.#partial.slice(0, end));
      this.#partial = this.#partial.slice(end).trimStart();
    }
  }

  #take(line: string): void {
    const open = this.#open;
    if (open === undefined) this.#begin(line);
    else if (open.kind === 'fence') this.#takeCode(line, open);
    else if (open.kind === 'list') this.#takeListed(line, open);
    else this.#takeText(line, open);
  }

  #begin(line: string): void {
    if (line.trim() === '') {
      this.#gap = this.#hasBegun;
      return;
    }
    this.#hasBegun = true;
    const fence = openedFence(line);
    const column = itemColumn(line);
    if (fence !== undefined && fence.indent <= 3) {
      this.#open = { kind: 'fence', fence, shift: 0 };
      return;
    }
    this.#add(line);
    if (isHeading(line) || isRule(line)) this.#release();
    else if (column !== undefined && indentOf(line) <= 3)
      this.#open = { kind: 'list', column, fence: undefined, isBlank: false };
    else this.#open = { kind: isQuote(line) ? 'quote' : 'text' };
  }

  #takeCode(line: string, { fence, shift }: Extract<Open, { kind: 'fence' }>): void {
    if ((shift > 0 || indentOf(line) <= 3) && closesFence(line, fence)) {
      this.#end();
      return;
    }
    const isFree = this.#lines.at(-1)?.trim() === '' && indentOf(line) === fence.indent && line.trim() !== '';
    if (this.#isLong(isFree)) this.#release();
    this.#add(shifted(line, shift));
  }

  #takeText(line: string, open: Extract<Open, { kind: 'text' | 'quote' | 'table' }>): void {
    if (line.trim() === '') {
      this.#end();
      this.#gap = true;
      return;
    }
    if (interruptsText(line) && !(open.kind === 'quote' && isQuote(line))) {
      this.#end();
      this.#begin(line);
      return;
    }
    if (this.#isLong(open.kind === 'table')) this.#release();
    const before = this.#lines.at(-1);
    if (open.kind === 'text' && before?.includes('|') && isTableRule(line)) this.#beginTable(before, line);
    else this.#add(line);
  }

  #beginTable(header: string, rule: string): void {
    this.#lines.pop();
    this.#release();
    this.#open = { kind: 'table', head: [header, rule] };
  }

  #takeListed(line: string, list: Extract<Open, { kind: 'list' }>): void {
    if (line.trim() === '') {
      list.isBlank = true;
      this.#add('');
      return;
    }
    const isInside = indentOf(line) >= list.column;
    if (list.fence !== undefined && isInside) {
      this.#takeListedCode(line, list, list.fence);
      return;
    }
    list.fence = undefined;
    const column = indentOf(line) <= 3 || isInside ? itemColumn(line) : undefined;
    const isItem = column !== undefined && !isInside;
    if (!isInside && !isItem && (list.isBlank || interruptsText(line))) {
      const gap = list.isBlank;
      this.#end();
      this.#gap = gap;
      this.#begin(line);
      return;
    }
    if (this.#isLong(isItem)) this.#release();
    list.isBlank = false;
    if (isItem) list.column = column;
    if (isInside) list.fence = openedFence(line);
    this.#add(line);
  }

  /** Long code within a list continues as code of its own, with the same indentation. */
  #takeListedCode(line: string, list: Extract<Open, { kind: 'list' }>, fence: Fence): void {
    list.isBlank = false;
    if (closesFence(line, fence)) list.fence = undefined;
    else if (this.#isLong(false)) {
      this.#release();
      this.#open = { kind: 'fence', fence, shift: fence.indent };
      this.#add(shifted(line, fence.indent));
      return;
    }
    this.#add(line);
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length + 1;
  }

  /** True if the pending lines are a part of their own. `isFree`: a good place to cut. */
  #isLong(isFree: boolean): boolean {
    const lines = this.#lines.length;
    return lines >= LONG.most || this.#chars > LONG.chars || (isFree && lines >= LONG.lines);
  }

  #end(): void {
    this.#release();
    this.#open = undefined;
  }

  #release(): void {
    while (this.#open?.kind !== 'fence' && this.#lines.at(-1) === '') this.#lines.pop();
    if (this.#hasSome()) {
      const lines = [...this.#head(), ...this.#lines, ...this.#foot()];
      this.#out.push(`${this.#gap ? '\n' : ''}${lines.join('\n')}`);
      this.#gap = false;
    }
    this.#lines = [];
    this.#chars = 0;
  }

  /** A table without rows is shown, too. A part is emitted when the next line arrives, so none is without lines. */
  #hasSome(): boolean {
    return this.#lines.length > 0 || this.#head().length > 0;
  }

  /** The lines that each part of the block begins with. */
  #head(): readonly string[] {
    switch (this.#open?.kind) {
      case 'table':
        return this.#open.head;
      case 'fence': {
        const { fence, shift } = this.#open;
        return [shifted(`${' '.repeat(fence.indent)}${fence.mark}${fence.info}`, shift)];
      }
      default:
        return [];
    }
  }

  #foot(): readonly string[] {
    return this.#open?.kind === 'fence' ? [this.#open.fence.mark] : [];
  }
}
