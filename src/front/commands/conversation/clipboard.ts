/** The program that copies to the clipboard of this machine. */

import { delimiter, isAbsolute, join } from 'node:path';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Host } from '../../../host/host.js';

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
  for (const tool of candidates(host)) if (await isOnPath(host, tool.file)) return tool;
  return undefined;
}

/** Copies a text, stripped so that it can't control a terminal it is pasted into (TU-30). Resolves with the reason on failure. */
export async function copyWith(host: Host, tool: CopyTool, text: string): Promise<string | undefined> {
  const { code, error, stderr } = await host.processes.run({
    ...(await detached(host, tool)),
    cwd: host.folder,
    env: host.env,
    input: stripControls(text),
    timeoutMs: 5_000,
  });
  if (code === 0) return undefined;
  return `${tool.file}: ${error?.message ?? (stderr.toString('utf8').trim() || `exit ${code}`)}`;
}

/** Detaches the tools of Linux: they stay in the background to serve the text, and must outlive this process. */
async function detached(host: Host, tool: CopyTool): Promise<CopyTool> {
  if (host.platform.os !== 'linux' || !(await isOnPath(host, 'setsid'))) return tool;
  return { file: 'setsid', args: ['--wait', tool.file, ...tool.args] };
}

async function isOnPath(host: Host, program: string): Promise<boolean> {
  const folders = (host.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    const found = await host.files.stat(join(folder, program)).catch(() => undefined);
    if (found?.kind === 'file') return true;
  }
  return false;
}
