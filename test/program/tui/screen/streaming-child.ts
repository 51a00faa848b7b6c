/** A program with a screen: lines that stream into the history, agents that tick, an editor of one line, a page. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Screen } from '../../../../src/front/tui/screen/screen.js';
import { wrap } from '../../../../src/front/tui/screen/width.js';

const { env } = process;
const LINES = Number(env.LINES_WANTED ?? 0);
const RATE = Number(env.RATE ?? 200);
const AGENTS = Number(env.AGENTS ?? 20);

let typed = '';
let block: string[] = [];
let printed = 0;
let ticks = 0;
let isDone = LINES === 0;
let pageRows = 0;

const screen = new Screen({
  input: process.stdin,
  output: process.stdout,
  env,
  live: ({ columns, rows }) => {
    const agents = Math.min(AGENTS, Math.max(1, Math.floor(rows / 2) - 4));
    const room = Math.max(1, Math.min(12, rows - agents - 5));
    const tail = block.flatMap((line) => wrap(line, columns - 1)).slice(-room);
    const text = `> ${typed}`;
    const editor = wrap(text, columns - 2);
    const tree = Array.from(
      { length: agents },
      (_, agent) => `  ● agent-${agent} · Bash npm test · ${ticks + agent}0 ms`,
    );
    return {
      rows: [...tail, 'EDITOR', ...editor, ...tree, `STATUS ${isDone ? 'done' : 'streaming'} ${printed}`],
      cursor: { row: tail.length + editor.length, column: Array.from(editor.at(-1) ?? '').length },
    };
  },
  onInput: (data) => {
    for (const key of data) press(key);
    screen.paint(true);
  },
});

const KEYS: Readonly<Record<string, () => void>> = {
  // Ctrl+D: ends; Ctrl+X: dies; Ctrl+Z, Ctrl+L; Ctrl+O: the page; Ctrl+G: another program has the terminal.
  '\u0004': () => {
    screen.stop();
    process.exit(0);
  },
  '\u0018': () => {
    throw new Error('an error that nobody caught');
  },
  '\u001a': () => screen.suspend(),
  '\u000c': () => screen.redraw(),
  '\u000f': () => (screen.hasPage ? screen.closePage() : screen.openPage(page)),
  '\u0007': () => {
    void screen.release(() => run('echo from the other program; read line; echo "it read $line"'));
  },
  '\u007f': () => {
    typed = typed.slice(0, -1);
  },
  '\r': () => {
    screen.print([`> ${typed}`, '']);
    typed = '';
  },
};

function press(key: string): void {
  const act = KEYS[key];
  if (act !== undefined) act();
  else typed += key;
}

function page({ rows }: { rows: number }) {
  pageRows = rows;
  return { rows: Array.from({ length: rows }, (_, row) => `PAGE row ${row} of ${pageRows}`) };
}

function run(line: string): Promise<void> {
  return new Promise((resolve) => {
    spawn('sh', ['-c', line], { stdio: 'inherit' }).once('close', () => resolve());
  });
}

/** Blocks of one to eleven lines, as a model writes them; each line has a number of its own. */
function lineOf(number: number): string {
  const id = `L${String(number).padStart(5, '0')}`;
  switch (number % 7) {
    case 0:
      return `${id} 你好世界，这是一行中文 👩‍👩‍👧 🇩🇪 👍🏽 ❤️ cafe\u0301 ｆｕｌｌ 한국어 ${'字'.repeat(12)}`;
    case 3:
      return `\u001b[36m${id} a line in colour that is long enough to be wrapped in a window\u001b[39m of fewer columns`;
    case 5:
      return `  const ${id} = compute(a[${number}], { deep: true }); // keep`;
    default:
      return `${id} a short line`;
  }
}

function stream(from: number): void {
  const wanted = Math.min(LINES, Math.floor(((Date.now() - from) / 1000) * RATE));
  while (printed + block.length < wanted) {
    block.push(lineOf(printed + block.length + 1));
    if (block.length > printed % 11) flush();
  }
  if (wanted === LINES) {
    flush();
    isDone = true;
    if (env.MARK) writeFileSync(env.MARK, '');
  }
  screen.paint();
}

function flush(): void {
  printed += block.length;
  screen.print(block.flatMap((line) => wrap(line, screen.size.columns - 1)));
  block = [];
}

screen.start();
const started = Date.now();
setInterval(() => {
  ticks += 1;
  screen.paint();
}, 100);
const streaming = setInterval(() => {
  if (!isDone) return stream(started);
  clearInterval(streaming);
}, 20);
if (env.PRINT_AT_ONCE) {
  const lines = Array.from({ length: Number(env.PRINT_AT_ONCE) }, (_, index) => lineOf(index + 1));
  screen.print(lines.flatMap((line) => wrap(line, screen.size.columns - 1)));
}
