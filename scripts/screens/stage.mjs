/** A project, a simulated model and a pseudo-terminal with the real program in it. */

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as pty from '@lydell/node-pty';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { startSim } from '../../dist/sim.mjs';
import { evenOut } from './even-out.mjs';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');
/** As long as the name that pictures show in its place, so that no row breaks elsewhere. */
const PREFIX = '/tmp/cs-';
const SHOWN = '/home/you/shop';
const COLUMNS = 96;
const ROWS = 30;
const run = promisify(execFile);
const LONGEST_WAIT_MS = 20_000;

export async function openStage({ files, rules }) {
  const folder = mkdtempSync(PREFIX);
  if (folder.length !== SHOWN.length) throw new Error(`${folder} is not as long as ${SHOWN}`);
  const home = mkdtempSync('/tmp/coppice-screens-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const sim = await startSim({ scenario: rules(folder), ttftMs: 30 });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_FORK_SUBAGENT: '1',
    ANTHROPIC_BASE_URL: sim.url,
    ANTHROPIC_API_KEY: 'none',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
  };
  const git = (...args) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'You');
  git('config', 'user.email', 'you@example.invalid');
  git('add', '-A');
  git('commit', '-qm', 'A shop');

  let at;
  const stage = {
    folder,
    /** Starts the program, in place of one that ran before. */
    start: async (args = []) => {
      await at?.end();
      at = openTerminal({ folder, env, args });
    },
    /** Without a terminal, until it ends. */
    print: (...args) => run(process.execPath, [PROGRAM, ...args], { cwd: folder, env }),
    type: (text) => at.write(text),
    press: (...names) => {
      for (const name of names) at.write(KEYS[name] ?? name);
    },
    /** Waits until the screen has it, and has stood still for a moment. */
    until: async (wanted) => {
      for (let waited = 0, still = 0; waited < LONGEST_WAIT_MS; waited += 50) {
        const before = at.text();
        await setTimeout(50);
        still = at.text() === before && wanted.test(before) ? still + 1 : 0;
        if (still === 4) return;
      }
      throw new Error(`${wanted} never came. The screen:\n${at.text()}`);
    },
    /** Longer than a question lets pass before it takes keys. */
    pause: () => setTimeout(700),
    cells: () => evenOut(at.cells(), [[folder, SHOWN]]),
    cursor: () => at.cursor(),
    close: async () => {
      await at?.end();
      await sim.close();
      for (const scratch of [folder, home]) rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return stage;
}

function openTerminal({ folder, env, args }) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 1000, allowProposedApi: true });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const size = { cols: COLUMNS, rows: ROWS };
  const child = pty.spawn(process.execPath, [PROGRAM, ...args], { name: env.TERM, cwd: folder, env, ...size });
  child.onData((data) => terminal.write(data));
  let isOver = false;
  const over = new Promise((resolve) => {
    child.onExit(() => {
      isOver = true;
      resolve();
    });
  });
  const lines = () => {
    const { active } = terminal.buffer;
    return Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row));
  };
  return {
    write: (data) => child.write(data),
    text: () =>
      lines()
        .map((line) => line?.translateToString(true) ?? '')
        .join('\n')
        // A spinner never stands still.
        .replace(/^[✻✽✶✳✢]/gm, '✻')
        .replace(/\d+:\d\d/g, '0:00'),
    cells: () => lines().map((line) => readCells(line)),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    end: async () => {
      if (!isOver) child.kill('SIGKILL');
      await over;
      terminal.dispose();
    },
  };
}

function readCells(line) {
  return Array.from({ length: COLUMNS }, (_, column) => {
    const cell = line?.getCell(column);
    if (cell === undefined) return { text: ' ', width: 1 };
    return {
      text: cell.getChars() || ' ',
      width: cell.getWidth(),
      fg: cell.isFgRGB() ? { rgb: cell.getFgColor() } : cell.isFgPalette() ? { index: cell.getFgColor() } : undefined,
      bg: cell.isBgRGB() ? { rgb: cell.getBgColor() } : cell.isBgPalette() ? { index: cell.getBgColor() } : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isItalic: cell.isItalic() !== 0,
      isUnderlined: cell.isUnderline() !== 0,
      isInverse: cell.isInverse() !== 0,
    };
  });
}

const KEYS = {
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  'ctrl+u': '\u0015',
  'ctrl+c': '\u0003',
};
