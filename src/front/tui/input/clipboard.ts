/** Reads an image from the clipboard, with the tools available on the machine. */

import { isOverSsh } from '../../../host/environment.js';
import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';
import type { ImageMediaType } from '../../../protocol/blocks.js';
import { byteSize } from '../../../protocol/format-numbers.js';
import { imageSize } from '../../../tools/read/image-size.js';
import { imageType, MAX_BASE64_BYTES, MAX_SIDE } from '../../../tools/read/read-image.js';

type Machine = Pick<Host, 'env' | 'files' | 'folder' | 'platform' | 'processes'>;
type Tool = { readonly file: string; readonly args: readonly string[]; readonly decode?: (output: Buffer) => Buffer };

export type ClipboardImage = { readonly media_type: ImageMediaType; readonly data: string };

const LIMIT_MS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;
const GIVE_A_PATH = 'mention a file instead: @path';

const POWERSHELL = ['-NoProfile', '-NonInteractive', '-STA', '-Command'];
const READ_ON_WINDOWS = `Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage();
if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }`;
/** The image in the clipboard, or a message: why there is none, and what to do instead. */
export async function readImage(host: Machine): Promise<ClipboardImage | string> {
  const tools = readingTools(host);
  if (tools.length === 0) {
    return isOverSsh(host.env)
      ? `your clipboard can't be read over SSH; ${GIVE_A_PATH}`
      : `no clipboard here; ${GIVE_A_PATH}`;
  }
  let hasTool = false;
  for (const { file, args, decode } of tools) {
    const program = findOwnProgram(host, file);
    if (program === undefined) continue;
    const run = await host.processes.run({ file: program, args, ...place(host), maxBytes: MOST_BYTES });
    hasTool ||= run.error === undefined;
    const bytes = run.code === 0 ? (decode?.(run.stdout) ?? run.stdout) : Buffer.alloc(0);
    const media_type = imageType(bytes);
    if (media_type !== undefined)
      return refuseLarge(bytes, media_type) ?? { media_type, data: bytes.toString('base64') };
  }
  if (hasTool) return 'the clipboard has no image';
  const names = [...new Set(tools.map((tool) => tool.file))].join(' or ');
  return `reading the clipboard requires ${names}; ${GIVE_A_PATH}`;
}

function readingTools({ env, platform }: Machine): readonly Tool[] {
  if (platform.os === 'darwin') {
    const script = 'get the clipboard as «class PNGf»';
    return [
      { file: 'pngpaste', args: ['-'] },
      { file: 'osascript', args: ['-e', script], decode: decodeAppleData },
    ];
  }
  if (platform.os === 'win32' || env.WSL_DISTRO_NAME) {
    return [{ file: 'powershell.exe', args: [...POWERSHELL, READ_ON_WINDOWS], decode: decodeBase64 }];
  }
  const types = ['image/png', 'image/jpeg'];
  const wayland = types.map((type): Tool => ({ file: 'wl-paste', args: ['--no-newline', '--type', type] }));
  const x11 = types.map((type): Tool => ({ file: 'xclip', args: ['-selection', 'clipboard', '-t', type, '-o'] }));
  return [...(env.WAYLAND_DISPLAY ? wayland : []), ...(env.DISPLAY ? x11 : [])];
}

function place(host: Machine) {
  return { cwd: host.folder, env: processEnvironment(host, 'own'), timeoutMs: LIMIT_MS };
}

function refuseLarge(bytes: Buffer, type: ImageMediaType): string | undefined {
  const size = imageSize(bytes, type);
  const isLarge = (bytes.length / 3) * 4 > MAX_BASE64_BYTES;
  const isWide = size !== undefined && Math.max(size.width, size.height) > MAX_SIDE;
  if (!isLarge && !isWide) return undefined;
  return `the image in the clipboard is too large (at most ${byteSize(MAX_BASE64_BYTES)} in base64, ${MAX_SIDE} pixels a side)`;
}

/** `«data PNGf89504E47…»` */
function decodeAppleData(output: Buffer): Buffer {
  return Buffer.from(/PNGf([0-9A-F]+)/.exec(output.toString('latin1'))?.[1] ?? '', 'hex');
}

function decodeBase64(output: Buffer): Buffer {
  return Buffer.from(output.toString('latin1').trim(), 'base64');
}
