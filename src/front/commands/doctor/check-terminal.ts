/** Checks the terminal: type, size, colours, encoding and clipboard. */

import { basename } from 'node:path';
import { isOverSsh } from '../../../host/environment.js';
import type { Host } from '../../../host/host.js';
import { findCopyTool } from '../conversation/clipboard.js';
import { type Finding, firstLine } from './finding.js';

/** The part of the standard output that the check needs. */
export type TerminalStream = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  getColorDepth?(env?: object): number;
};

const LEAST = { columns: 40, rows: 10 };

export async function checkTerminal(host: Host, output: TerminalStream): Promise<Finding> {
  const { env } = host;
  const check = 'terminal';
  if (output.isTTY !== true) return { check, state: 'note', found: 'output is not a terminal' };
  const { columns = 0, rows = 0 } = output;
  const clipboard = await checkClipboard(host);
  const facts = [
    `TERM ${env.TERM ?? 'not set'}`,
    `${columns}×${rows}`,
    env.NO_COLOR ? 'no colours (NO_COLOR)' : `${2 ** (output.getColorDepth?.(env) ?? 1)} colours`,
    ...(env.TMUX ? ['in tmux'] : env.STY ? ['in screen'] : []),
    ...(isOverSsh(host.env) ? ['over ssh'] : []),
    `clipboard: ${clipboard.method}`,
  ];
  const advice = [
    ...(!env.TERM || env.TERM === 'dumb'
      ? ['TERM does not name a terminal with a cursor: set it (xterm-256color), or use --plain']
      : []),
    ...(columns < LEAST.columns || rows < LEAST.rows
      ? [`the window is small: make it ${LEAST.columns}×${LEAST.rows} or larger`]
      : []),
    ...locale(host),
    ...clipboard.advice,
  ];
  return { check, state: advice.length === 0 ? 'ok' : 'note', found: [facts.join(', '), ...advice].join('; ') };
}

/** Windows has no such variables and writes UTF-8; elsewhere, none means plain ASCII. */
function locale({ env, platform }: Host): readonly string[] {
  if (platform.os === 'win32') return [];
  const set = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((one) => one !== undefined && one !== '');
  if (set !== undefined && /utf-?8/i.test(set)) return [];
  // Terminals on macOS use UTF-8 without setting it.
  if (set === undefined && platform.os === 'darwin') return [];
  const now = set === undefined ? 'no locale is set' : `the locale ${set} is not UTF-8`;
  return [`${now}: set LANG=C.UTF-8, or characters may be garbled`];
}

async function checkClipboard(host: Host): Promise<{ readonly method: string; readonly advice: readonly string[] }> {
  if (isOverSsh(host.env)) {
    const clipboard = host.env.TMUX ? await firstLine(host, 'tmux', ['show-options', '-sv', 'set-clipboard']) : 'on';
    const advice = clipboard === 'off' ? ['tmux does not forward copies: run tmux set -s set-clipboard on'] : [];
    return { method: 'OSC 52', advice };
  }
  const tool = await findCopyTool(host);
  if (tool !== undefined) return { method: basename(tool.file), advice: [] };
  return { method: 'OSC 52', advice: ['no clipboard tool found: install wl-clipboard, xclip or xsel'] };
}
