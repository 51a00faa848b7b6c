/** Reads images, recognised by their first bytes, within the limits of the API. */

import type { ImageMediaType } from '../../protocol/blocks.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ReadResponse } from '../../protocol/tools/read.js';
import { markOf } from '../edit/file-change.js';
import type { ToolContext } from '../tool.js';
import { imageSize } from './image-size.js';
import { type ReadTarget, readWhole } from './read-target.js';

/** The API limits the size in base64. */
export const MAX_BASE64_BYTES = 5 * 1024 * 1024;
const MAX_BYTES = (MAX_BASE64_BYTES / 4) * 3;
export const MAX_SIDE = 8_000;

export function imageType(head: Buffer): ImageMediaType | undefined {
  const begins = (bytes: string, at = 0) => head.toString('latin1', at, at + bytes.length) === bytes;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  return undefined;
}

export async function readImage(
  target: ReadTarget,
  media_type: ImageMediaType,
  { files }: ToolContext,
): Promise<ToolOutcome> {
  if (target.stat.size > MAX_BYTES) {
    return failed(
      `${target.shown} is an image of ${target.stat.size} bytes; at most ${MAX_BYTES} can be shown. Create a smaller copy with Bash (for example: convert in.png -resize 1600x1600 out.png) and read that.`,
    );
  }
  const bytes = await readWhole(target);
  const size = imageSize(bytes, media_type);
  if (size !== undefined && Math.max(size.width, size.height) > MAX_SIDE) {
    return failed(
      `${target.shown} is ${size.width}×${size.height} pixels; at most ${MAX_SIDE} per side can be shown. Create a smaller copy with Bash and read that.`,
    );
  }
  files.set(target.real, markOf(bytes, target.stat));
  const data = bytes.toString('base64');
  const file = { filePath: target.shown, base64: data, type: media_type, originalSize: bytes.length };
  return {
    ...succeeded([{ type: 'image', source: { type: 'base64', media_type, data } }]),
    response: (): ReadResponse => ({ type: 'image', file }),
  };
}
