/** The completion menu below the editor. It never changes the text without a key. */

import { clip, pad, widthOf } from '../../screen/width.js';
import type { Theme } from '../../theme/theme.js';
import type { Editor } from '../editor/editor.js';
import type { KeyEvent } from '../key-event.js';
import {
  type Candidate,
  type Candidates,
  type CompletionSources,
  FileCandidates,
  findAgents,
  findCommands,
} from './candidates.js';

const WIDEST_LABEL = 40;
const NOTHING: Candidates = { rows: [], count: 0 };

export class CompletionMenu {
  readonly #sources: CompletionSources;
  readonly #onChange: () => void;
  #editor: Editor | undefined;
  #token: Token | undefined;
  /** Start of the token: while it stays, the token is the same. */
  #start = '';
  #dismissed: string | undefined;
  #found: Candidates = NOTHING;
  /** The row chosen with the arrows. Undefined: none, and Enter sends the typed text. */
  #chosen: number | undefined;
  #files: { readonly paths: readonly string[]; readonly candidates: FileCandidates } | undefined;

  /** `onChange`: the rows changed because files were found. */
  constructor(sources: CompletionSources, onChange: () => void) {
    this.#sources = sources;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#found.rows.length > 0;
  }

  /** Called after each change of the text and each move of the cursor. */
  update(editor: Editor): void {
    this.#editor = editor;
    const { line } = editor.buffer.cursor;
    const before = editor.beforeCursor;
    const token = findToken(before, line === 0);
    const start = token === undefined ? '' : `${token.kind} ${line} ${before.length - token.length}`;
    const isNew = start !== this.#start;
    const isSame = !isNew && token?.query === this.#token?.query;
    this.#token = token;
    this.#start = start;
    if (start !== this.#dismissed) this.#dismissed = undefined;
    if (isSame) return;
    this.#chosen = undefined;
    this.#fill();
    if (isNew && token?.kind === 'mention') void this.#loadFiles();
  }

  close(): void {
    this.#dismissed = this.#start;
    this.#chosen = undefined;
    this.#found = NOTHING;
  }

  /** `ignored`: the key has its usual meaning. That includes Enter after it completed a whole command. */
  press(event: KeyEvent): 'taken' | 'ignored' {
    if (!this.isOpen || event.kind !== 'key') return 'ignored';
    const { length } = this.#found.rows;
    switch (event.name) {
      case 'down':
      case 'ctrl+n':
        this.#chosen = ((this.#chosen ?? -1) + 1) % length;
        return 'taken';
      case 'up':
      case 'ctrl+p':
        this.#chosen = ((this.#chosen ?? 0) - 1 + length) % length;
        return 'taken';
      case 'tab':
        this.#accept(this.#chosen ?? 0);
        return 'taken';
      case 'enter':
        return this.#chosen !== undefined && this.#accept(this.#chosen) !== 'send' ? 'taken' : 'ignored';
      case 'esc':
        this.close();
        return 'taken';
      default:
        return 'ignored';
    }
  }

  rows(width: number, max: number, theme: Theme): string[] {
    const { rows, count } = this.#found;
    const most = Math.max(0, count > max ? max - 1 : max);
    const from = Math.max(0, Math.min((this.#chosen ?? 0) - (most >> 1), rows.length - most));
    const seen = rows.slice(from, from + most);
    const widths = seen.filter((row) => row.about !== '').map((row) => widthOf(row.label));
    const column = Math.min(WIDEST_LABEL, Math.max(0, ...widths));
    const lines = seen.map((row, at) => drawRow(row, from + at === this.#chosen, column, width, theme));
    const left = count - seen.length;
    return left > 0 && max > 0 ? [...lines, theme.dim(clip(`  … ${left} more`, width))] : lines;
  }

  #accept(row: number): Candidate['next'] | undefined {
    const candidate = this.#found.rows[row];
    if (candidate === undefined || this.#token === undefined || this.#editor === undefined) return undefined;
    this.#editor.replaceBefore(this.#token.length, candidate.next === 'space' ? `${candidate.text} ` : candidate.text);
    if (candidate.next !== 'more') this.close();
    this.update(this.#editor);
    // A whole command is still a token: the menu stays closed until the token changes.
    if (candidate.next === 'send') this.close();
    return candidate.next;
  }

  #fill(): void {
    this.#found = this.#dismissed !== undefined ? NOTHING : this.#find(this.#token);
  }

  #find(token: Token | undefined): Candidates {
    if (token === undefined) return NOTHING;
    if (token.kind === 'command') return findCommands(this.#sources, token.query);
    const agents = token.isFirst ? findAgents(this.#sources, token.query) : [];
    const files = this.#files?.candidates.find(token.query) ?? NOTHING;
    return { rows: [...agents, ...files.rows], count: agents.length + files.count };
  }

  async #loadFiles(): Promise<void> {
    // Agents are available without a list of files.
    const paths = await this.#sources.files().catch(() => undefined);
    if (paths === undefined || paths === this.#files?.paths) return;
    this.#files = { paths, candidates: new FileCandidates(paths) };
    if (this.#token?.kind !== 'mention') return;
    const chosen = this.#chosen === undefined ? undefined : this.#found.rows[this.#chosen];
    this.#fill();
    // A row must not change while it is being chosen.
    const again = chosen === undefined ? -1 : this.#found.rows.findIndex((row) => row.text === chosen.text);
    this.#chosen = again < 0 ? undefined : again;
    this.#onChange();
  }
}

function drawRow(row: Candidate, isChosen: boolean, column: number, width: number, theme: Theme): string {
  const label = clip(row.about === '' ? row.label : pad(clip(row.label, column), column), Math.max(0, width - 2));
  const about = clip(row.about, Math.max(0, width - 4 - widthOf(label)));
  const shown = isChosen ? theme.chosen(`› ${label}`) : `  ${label}`;
  return about === '' ? shown : `${shown}  ${theme.dim(about)}`;
}

type Token = {
  readonly kind: 'command' | 'mention';
  /** The text after the `/` or `@`. */
  readonly query: string;
  /** Its whole length, in characters before the cursor. */
  readonly length: number;
  /** Nothing precedes it. */
  readonly isFirst: boolean;
};

/** A chip is not part of a word. */
const MENTION = /(?:^|[\s\ufffc])(@(?:"([^"\n]*)|([^\s"\ufffc]*)))$/u;

/** `before`: the text of the line up to the cursor. */
function findToken(before: string, isFirstLine: boolean): Token | undefined {
  const command = isFirstLine ? /^\/([^\s\ufffc]*)$/u.exec(before) : null;
  if (command !== null) return { kind: 'command', query: command[1] ?? '', length: before.length, isFirst: true };
  const mention = MENTION.exec(before);
  if (mention === null) return undefined;
  const length = mention[1]?.length ?? 0;
  const isFirst = isFirstLine && length === before.length;
  return { kind: 'mention', query: mention[2] ?? mention[3] ?? '', length, isFirst };
}
