/** The demo's output: who does what, one line each, and at a terminal what goes on now. */

import { basename } from 'node:path';
import type { Paint } from '../../view/paint.js';
import type { DemoProgress, Going } from './demo-progress.js';

const NAME_WIDTH = 8;

export class DemoScreen {
  readonly paint: Paint;
  /** Only at a terminal. */
  #progress: DemoProgress | undefined;

  constructor(paint: Paint, progress?: DemoProgress) {
    this.paint = paint;
    this.#progress = progress;
  }

  goesOn(going: Going): void {
    this.#progress?.show(going);
  }

  /** From now on lines alone. */
  settle(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  title(text: string): void {
    this.line(this.paint.bold(text));
  }

  heading(text: string): void {
    this.line(`\n${this.paint.bold(text)}`);
  }

  /** What the person types, or would type. */
  prompt(text: string, how = ''): void {
    this.line(`> ${text}${how === '' ? '' : `   ${this.paint.dim(how)}`}`);
  }

  says(who: string, text: string): void {
    this.line(`  ${this.paint.bold(who.padEnd(NAME_WIDTH))}${text}`);
  }

  acts(who: string, tool: string, input: unknown): void {
    this.says(who, this.paint.dim(`${tool} ${shortInput(input)}`));
  }

  forked(who: string, background: boolean, branch?: string): void {
    const where = branch === undefined ? '' : `, in a worktree on the branch ${branch}`;
    this.says(who, this.paint.good(`forked${where}${background ? ', in the background' : ''}`));
  }

  /** A fork's report has several parts; the demo shows its result. */
  reports(who: string, report: string): void {
    const result = /^Result: (.*)$/m.exec(report)?.[1] ?? report;
    this.says(who, `${this.paint.good('done:')} ${result}`);
  }

  aside(text: string): void {
    this.line(`  ${' '.repeat(NAME_WIDTH)}${text}`);
  }

  line(text = ''): void {
    if (this.#progress !== undefined) this.#progress.print(text);
    else process.stdout.write(`${text}\n`);
  }
}

function shortInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  if ('command' in input) return String(input.command);
  if ('pattern' in input) return String(input.pattern);
  return 'file_path' in input ? basename(String(input.file_path)) : '';
}
