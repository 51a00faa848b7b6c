/** Checks the terminal: what it is, its size and colours, whether letters and copies arrive; ok, or what to do. */

import { isOverSsh } from '../../../host/environment.js';
import type { Host } from '../../../host/host.js';
import { findCopyTool } from '../conversation/clipboard.js';
import { type Finding, firstLine } from './finding.js';

/** What a check needs of the standard output. */
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
  const copying = await copies(host);
  const facts = [
    `TERM ${env.TERM ?? 'not set'}`,
    `${columns}×${rows}`,
    env.NO_COLOR ? 'no colours (NO_COLOR)' : `${2 ** (output.getColorDepth?.(env) ?? 1)} colours`,
    ...(env.TMUX ? ['in tmux'] : env.STY ? ['in screen'] : []),
    ...(isOverSsh(host.env) ? ['over ssh'] : []),
    copying.how,
  ];
  const wants = [
    ...(!env.TERM || env.TERM === 'dumb'
      ? ['TERM names no terminal with a cursor: set it (xterm-256color), or use --plain']
      : []),
    ...(columns < LEAST.columns || rows < LEAST.rows
      ? [`the window is small: make it ${LEAST.columns}×${LEAST.rows} or larger`]
      : []),
    ...locale(host),
    ...copying.wants,
  ];
  return { check, state: wants.length === 0 ? 'ok' : 'note', found: [facts.join(', '), ...wants].join('; ') };
}

/** Windows has no such variables, and writes UTF-8 to its terminals; elsewhere none means plain ASCII. */
function locale({ env, platform }: Host): readonly string[] {
  if (platform.os === 'win32') return [];
  const set = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((one) => one !== undefined && one !== '');
  if (set !== undefined && /utf-?8/i.test(set)) return [];
  // Terminals of a Mac write UTF-8 without saying so.
  if (set === undefined && platform.os === 'darwin') return [];
  const now = set === undefined ? 'no locale is set' : `the locale ${set} is not UTF-8`;
  return [`${now}: set LANG=C.UTF-8, or letters and marks may come out wrong`];
}

async function copies(host: Host): Promise<{ readonly how: string; readonly wants: readonly string[] }> {
  if (isOverSsh(host.env)) {
    const clipboard = host.env.TMUX ? await firstLine(host, 'tmux', ['show-options', '-sv', 'set-clipboard']) : 'on';
    const wants = clipboard === 'off' ? ['tmux keeps copies to itself: tmux set -s set-clipboard on'] : [];
    return { how: 'copies by OSC 52', wants };
  }
  const tool = await findCopyTool(host);
  if (tool !== undefined) return { how: `copies with ${tool.file}`, wants: [] };
  return { how: 'copies by OSC 52', wants: ['no clipboard tool was found: install wl-clipboard, xclip or xsel'] };
}
