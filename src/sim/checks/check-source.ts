/** Checks images and documents: a known media type that matches the content, valid base64, not too large. */

import { isObject, type JsonObject, textOf } from '../json-value.js';
import { invalid, type Problem } from './problem.js';

/** The API limits the encoded length. */
const MOST_IMAGE_CHARACTERS = 5 * 1024 * 1024;

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

export function checkSource(block: JsonObject, path: string): Problem | undefined {
  const { source } = block;
  if (!isObject(source)) return invalid(`${path}.source: Field required`);
  if (source.type !== 'base64') return undefined;
  return block.type === 'image'
    ? checkImage(source, `${path}.source.base64`)
    : checkDocument(source, `${path}.source.base64`);
}

function checkImage(source: JsonObject, path: string): Problem | undefined {
  if (!IMAGE_TYPES.includes(textOf(source.media_type))) {
    return invalid(`${path}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`);
  }
  const data = textOf(source.data);
  if (data === '') return invalid(`${path}.data: image cannot be empty`);
  if (data.length > MOST_IMAGE_CHARACTERS) {
    return invalid(`${path}: image exceeds 5 MB maximum: ${data.length} bytes > ${MOST_IMAGE_CHARACTERS} bytes`);
  }
  if (!isBase64(data)) return invalid(`${path}.data: invalid base64 data`);
  const found = imageType(Buffer.from(data.slice(0, 32), 'base64'));
  if (!found) return invalid(`${path}.data: Could not process image`);
  if (found === source.media_type) return undefined;
  return invalid(
    `${path}: The image was specified using the ${source.media_type} media type, but the image appears to be a ${found} image`,
  );
}

function checkDocument(source: JsonObject, path: string): Problem | undefined {
  if (source.media_type !== 'application/pdf') {
    return invalid(`${path}.media_type: Input should be 'application/pdf'`);
  }
  const data = textOf(source.data);
  if (!isBase64(data)) return invalid(`${path}.data: invalid base64 data`);
  return Buffer.from(data.slice(0, 16), 'base64').toString('latin1').startsWith('%PDF')
    ? undefined
    : invalid(`${path}.data: The PDF specified was not valid.`);
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function imageType(start: Buffer): string | undefined {
  const text = start.toString('latin1');
  if (text.startsWith('\x89PNG')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF8')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
