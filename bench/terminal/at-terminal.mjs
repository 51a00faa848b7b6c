/** Runs a program at its own terminal: what it writes is counted and kept, keys are pressed, its screen can be read. */

import { readFile } from 'node:fs/promises';
import * as pty from '@lydell/node-pty';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { usageOf } from '../stage.mjs';

const [COLUMNS, ROWS] = [100, 30];

/** `shows`: its screen is kept up while it runs, which costs this process time; otherwise it can be made afterwards. */
export function atTerminal(args, { env, cwd, shows = false, columns = COLUMNS, rows = ROWS }) {
  const terminal = shows ? newTerminal(columns, rows) : undefined;
  const chunks = [];
  const watchers = new Set();
  let bytes = 0;
  let tail = '';
  const began = performance.now();
  const child = pty.spawn(process.execPath, args, {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8', ...env },
    encoding: null,
  });
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  child.onData((data) => {
    const chunk = Buffer.from(data);
    bytes += chunk.length;
    chunks.push(chunk);
    tail = (tail + chunk.toString('latin1')).slice(-4096);
    if (terminal === undefined) look();
    else terminal.write(chunk, look);
  });
  const ended = new Promise((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  /** Resolves when `holds` does, inspected whenever something was written. */
  const until = (holds, what, limitMs = 60_000) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        watchers.delete(check);
        clearTimeout(timer);
      };
      const check = () => {
        if (!holds()) return;
        stop();
        resolve(performance.now());
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${args[0]}: never came to ${what}. Its screen:\n${screenOf(chunks).join('\n')}`));
      }, limitMs);
      watchers.add(check);
      void ended.then((code) => {
        if (watchers.has(check)) reject(new Error(`${args[0]} ended with ${code} before ${what}`));
        stop();
      });
      check();
    });
  return {
    began,
    pid: child.pid,
    ended,
    until,
    /** Waits for a text among the last that was written. */
    untilWritten: (text, limitMs) => until(() => tail.includes(text), JSON.stringify(text), limitMs),
    press: (keys) => child.write(keys),
    bytes: () => bytes,
    rows: () => rowsOf(terminal),
    usage: async () => ({ ...(await usageOf(child.pid)), rssMb: await residentMb(child.pid) }),
    lines: async () => {
      const whole = newTerminal(columns, rows);
      await new Promise((resolve) => whole.write(Buffer.concat(chunks), resolve));
      return linesOf(whole);
    },
    /** Resolves when it does nothing any more. */
    atRest: async () => {
      for (let before = -1; ; ) {
        const { cpuMs } = await usageOf(child.pid);
        if (cpuMs - before < 1) return;
        before = cpuMs;
        await pause(250);
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function newTerminal(cols, rows) {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 60_000, allowProposedApi: true, logLevel: 'off' });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

function rowsOf(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true));
}

function linesOf(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
}

/** For a message: what can be said without waiting. */
function screenOf(chunks) {
  return Buffer.concat(chunks.slice(-20)).toString('utf8').split('\n').slice(-30);
}

async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
