/**
 * Converts a server's content (of a result, a resource, a prompt) to blocks of a conversation. Content that can't be
 * shown is saved to disk.
 */

import { type ImageMediaType, type ResultContent, text } from '../../../protocol/blocks.js';
import { isObject } from '../../../protocol/json/json-values.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { outputName } from '../../bounds.js';
import { imageSize } from '../../read/image-size.js';
import { imageType, MAX_BASE64_BYTES, MAX_SIDE } from '../../read/read-image.js';
import { resultLine } from './server-text.js';

export type ContentStore = {
  /** Used in file names. */
  readonly callId: string;
  readonly server: string;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
};

/** Per result: more would crowd out the conversation, and the API has a limit. */
const MOST_IMAGES = 20;
const MOST_IMAGE_CHARS = 12 * 1024 * 1024;
const MOST_BLOCKS = 10_000;

/** `blocks` is untrusted: any value, of any size. Adjacent texts are joined. */
export async function convertContent(blocks: unknown, keeping: ContentStore): Promise<readonly ResultContent[]> {
  const list = Array.isArray(blocks) ? blocks : [];
  const made: ResultContent[] = [];
  const work: Work = { ...keeping, images: 0, imageChars: 0, files: 0 };
  for (const block of list.slice(0, MOST_BLOCKS)) made.push(...(await convertBlock(block, work)));
  if (list.length > MOST_BLOCKS) made.push(text(`[${list.length - MOST_BLOCKS} more parts are left out]`));
  return joinTexts(made);
}

type Work = ContentStore & { images: number; imageChars: number; files: number };

async function convertBlock(block: unknown, work: Work): Promise<readonly ResultContent[]> {
  if (!isObject(block)) return [];
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? [text(block.text)] : [];
    case 'image':
    case 'audio':
      return [await convertBinary(block.data, block.mimeType, String(block.type), work)];
    case 'resource':
      return convertResource(block.resource, work);
    case 'resource_link':
      return [text(describeLink(block, work.server))];
    default:
      return [text(`[a part of the type ${shown(block.type)} is not shown]`)];
  }
}

/** Also handles an entry of a resource's contents. */
async function convertResource(resource: unknown, work: Work): Promise<readonly ResultContent[]> {
  if (!isObject(resource)) return [];
  const type = typeof resource.mimeType === 'string' ? ` (${shown(resource.mimeType)})` : '';
  const head = `[resource ${shown(resource.uri)}${type}]`;
  if (typeof resource.text === 'string') return [text(head), text(resource.text)];
  return [text(head), await convertBinary(resource.blob, resource.mimeType, 'content', work)];
}

export async function convertResources(contents: unknown, keeping: ContentStore): Promise<readonly ResultContent[]> {
  const list = Array.isArray(contents) ? contents : [];
  return convertContent(
    list.map((resource: unknown) => ({ type: 'resource', resource })),
    keeping,
  );
}

/** Recognises images by their bytes, like Read: the API rejects mislabelled ones. */
async function convertBinary(data: unknown, mimeType: unknown, what: string, work: Work): Promise<ResultContent> {
  if (typeof data !== 'string' || data === '') return text(`[${what} without data]`);
  const head = Buffer.from(data.slice(0, 64), 'base64');
  const media_type = imageType(head);
  const mayShow = work.images < MOST_IMAGES && work.imageChars + data.length <= MOST_IMAGE_CHARS;
  if (media_type !== undefined && mayShow && data.length <= MAX_BASE64_BYTES) {
    const bytes = Buffer.from(data, 'base64');
    if (isShowable(bytes, media_type)) {
      work.images += 1;
      work.imageChars += data.length;
      // Encoded again: a server's base64 may contain line breaks, or other letters for + and /.
      return { type: 'image', source: { type: 'base64', media_type, data: bytes.toString('base64') } };
    }
  }
  return text(await keepBytes(data, media_type ?? mimeType, what, work));
}

function isShowable(bytes: Buffer, type: ImageMediaType): boolean {
  const size = imageSize(bytes, type);
  return size !== undefined && size.width > 0 && size.height > 0 && Math.max(size.width, size.height) <= MAX_SIDE;
}

/** Decoded once, right before it is written. */
async function keepBytes(data: string, mimeType: unknown, what: string, work: Work): Promise<string> {
  work.files += 1;
  const type = typeof mimeType === 'string' ? mimeType.toLowerCase() : '';
  const bytes = Buffer.from(data, 'base64');
  const size = `${what}${type === '' ? '' : ` ${shown(type)}`}, ${bytes.length} bytes`;
  try {
    const path = await work.keepOutput(outputName(work.callId, `${work.files}.${endingOf(type)}`), bytes);
    return `[${size}: saved to ${path}]`;
  } catch (error) {
    return `[${size}: it could not be saved (${reasonOf(error)})]`;
  }
}

const ENDINGS = new Map(
  Object.entries({
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
    'audio/wav': 'wav',
    'audio/mpeg': 'mp3',
    'audio/ogg': 'ogg',
    'application/pdf': 'pdf',
    'application/zip': 'zip',
    'application/gzip': 'gz',
    'application/json': 'json',
    'text/plain': 'txt',
  }),
);

function endingOf(type: string): string {
  return ENDINGS.get(type) ?? 'bin';
}

function describeLink(link: Readonly<Record<string, unknown>>, server: string): string {
  const facts = [
    ...(typeof link.mimeType === 'string' ? [shown(link.mimeType)] : []),
    ...(typeof link.size === 'number' ? [`${link.size} bytes`] : []),
  ];
  const about = typeof link.description === 'string' ? `: ${resultLine(link.description, 300)}` : '';
  const name = typeof link.name === 'string' ? `${shown(link.name)}, ` : '';
  return `[link to the resource ${name}uri ${shown(link.uri)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}${about}. ReadMcpResource reads it: server ${JSON.stringify(server)}]`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? resultLine(value, 500) : 'unknown';
}

export function joinTexts(content: readonly ResultContent[]): readonly ResultContent[] {
  const joined: ResultContent[] = [];
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) joined.push(text(texts.join('\n')));
    texts = [];
  };
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    else {
      flush();
      joined.push(block);
    }
  }
  flush();
  return joined;
}
