/** The program that copies to the clipboard of this machine. */

import { basename } from 'node:path';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';

export type CopyTool = { readonly file: string; readonly args: readonly string[] };

/** In order of preference; tools of a desktop that is not running are left out. */
function candidates({ env, platform }: Host): readonly CopyTool[] {
  if (platform.os === 'darwin') return [{ file: 'pbcopy', args: [] }];
  if (platform.os === 'win32') return [{ file: 'clip.exe', args: [] }];
  return [
    ...(env.WAYLAND_DISPLAY ? [{ file: 'wl-copy', args: [] }] : []),
    ...(env.DISPLAY
      ? [
          { file: 'xclip', args: ['-selection', 'clipboard'] },
          { file: 'xsel', args: ['--clipboard', '--input'] },
        ]
      : []),
    ...(env.WSL_DISTRO_NAME ? [{ file: 'clip.exe', args: [] }] : []),
    ...(env.TERMUX_VERSION ? [{ file: 'termux-clipboard-set', args: [] }] : []),
  ];
}

export async function findCopyTool(host: Host): Promise<CopyTool | undefined> {
  for (const { file, args } of candidates(host)) {
    const found = findOwnProgram(host, file);
    if (found !== undefined) return { file: found, args };
  }
  return undefined;
}

/** Copies a text, stripped so that it can't control a terminal it is pasted into (TU-30). Resolves with the reason on failure. */
export async function copyWith(host: Host, tool: CopyTool, text: string): Promise<string | undefined> {
  const { code, error, stderr } = await host.processes.run({
    ...detached(host, tool),
    cwd: host.folder,
    env: processEnvironment(host, 'own'),
    input: stripControls(text),
    timeoutMs: 5_000,
  });
  if (code === 0) return undefined;
  return `${basename(tool.file)}: ${error?.message ?? (stderr.toString('utf8').trim() || `exit ${code}`)}`;
}

/** Detaches the tools of Linux: they stay in the background to serve the text, and must outlive this process. */
function detached(host: Host, tool: CopyTool): CopyTool {
  const file = host.platform.os === 'linux' ? findOwnProgram(host, 'setsid') : undefined;
  if (file === undefined) return tool;
  return { file, args: ['--wait', tool.file, ...tool.args] };
}
