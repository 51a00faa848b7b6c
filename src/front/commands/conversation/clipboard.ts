/** The program that copies to the clipboard of this machine. */

import { delimiter, isAbsolute, join } from 'node:path';
import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { Host } from '../../../host/host.js';

export type CopyTool = {
  readonly file: string;
  readonly args: readonly string[];
  /** It stays in the background to hand the text out, and must outlive us. */
  readonly stays?: true;
};

/** In order of preference; those of a desktop that is not there are not tried. */
function candidates({ env, platform }: Host): readonly CopyTool[] {
  if (platform.os === 'darwin') return [{ file: 'pbcopy', args: [] }];
  if (platform.os === 'win32') return [{ file: 'clip.exe', args: [] }];
  return [
    ...(env.WAYLAND_DISPLAY ? [{ file: 'wl-copy', args: [], stays: true } as const] : []),
    ...(env.DISPLAY
      ? [
          { file: 'xclip', args: ['-selection', 'clipboard'], stays: true } as const,
          { file: 'xsel', args: ['--clipboard', '--input'], stays: true } as const,
        ]
      : []),
    ...(env.WSL_DISTRO_NAME ? [{ file: 'clip.exe', args: [] }] : []),
    ...(env.TERMUX_VERSION ? [{ file: 'termux-clipboard-set', args: [] }] : []),
  ];
}

export async function findCopyTool(host: Host): Promise<CopyTool | undefined> {
  const folders = (host.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const tool of candidates(host)) {
    for (const folder of folders) {
      const found = await host.files.stat(join(folder, tool.file)).catch(() => undefined);
      if (found?.kind === 'file') return tool;
    }
  }
  return undefined;
}

/** Resolves with the reason if it was not copied. */
export async function copyWith(host: Host, tool: CopyTool, text: string): Promise<string | undefined> {
  const { code, error, stderr } = await host.processes.run({
    ...(tool.stays ? { file: 'setsid', args: ['--wait', tool.file, ...tool.args] } : tool),
    cwd: host.folder,
    env: host.env,
    input: stripUnsafe(text),
    timeoutMs: 5_000,
  });
  if (code === 0) return undefined;
  return `${tool.file}: ${error?.message ?? (stderr.toString('utf8').trim() || `exit ${code}`)}`;
}
