/**
 * Converts the prompt of an editor to ours. Linked files become `@path`, so that the engine reads them under its rules;
 * embedded content is attached verbatim, and nothing in it is read as a command or a file name.
 */

import { fileURLToPath } from 'node:url';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import type { ImageMediaType, UserBlock } from '../../protocol/blocks.js';
import { text } from '../../protocol/blocks.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { neutralizeTags } from '../../protocol/tags.js';

export type ReadPrompt = {
  /** The user's text, with the files they named. */
  readonly content: readonly UserBlock[];
  readonly attached: readonly UserBlock[];
};

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Throws a RequestError for unsupported content. */
export function readPrompt(prompt: readonly ContentBlock[]): ReadPrompt {
  let words = '';
  const images: UserBlock[] = [];
  const attached: UserBlock[] = [];
  for (const block of prompt) {
    switch (block.type) {
      case 'text':
        words += block.text;
        break;
      case 'resource_link':
        words += mention(words, block.uri, block.name);
        break;
      case 'image':
        images.push(image(block.data, block.mimeType));
        break;
      case 'resource':
        attached.push(resource(block.resource));
        words += `${gap(words)}[${inert(block.resource.uri)}]`;
        break;
      case 'audio':
        throw RequestError.invalidParams(undefined, 'audio is not supported (promptCapabilities.audio is false)');
      default:
        throw RequestError.invalidParams(undefined, `a prompt can't have ${JSON.stringify(block satisfies never)}`);
    }
  }
  return { content: [...(words.trim() === '' ? [] : [text(words)]), ...images], attached };
}

/** A link keeps its place in the text. */
function mention(before: string, uri: string, name: string): string {
  const path = pathOf(uri);
  const lines = /#L?(\d+)(?:[-:]L?(\d+))?$/.exec(uri);
  const range = lines === null ? '' : `#L${lines[1]}${lines[2] === undefined ? '' : `-${lines[2]}`}`;
  if (path === undefined || /["\p{Cc}]/u.test(path)) return `${gap(before)}[${inert(name)}](${inert(uri)})`;
  return `${gap(before)}@"${path}${range}" `;
}

/** A name that is shown in the user's text, but does not name a file or server to read. */
function inert(name: string): string {
  return escapeToLine(neutralizeTags(name)).replaceAll('@', '%40');
}

function gap(before: string): string {
  return before === '' || /\s$/.test(before) ? '' : ' ';
}

/** Undefined unless it is a file on this machine. */
function pathOf(uri: string): string | undefined {
  if (uri.startsWith('/')) return uri;
  try {
    // Throws for anything else; query and fragment are dropped.
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function image(data: string, mimeType: string): UserBlock {
  if (!IMAGES.has(mimeType))
    throw RequestError.invalidParams(undefined, `an image is PNG, JPEG, GIF or WebP, not ${mimeType}`);
  return { type: 'image', source: { type: 'base64', media_type: mimeType as ImageMediaType, data } };
}

type Resource = Extract<ContentBlock, { readonly type: 'resource' }>['resource'];

function resource(given: Resource): UserBlock {
  const { uri, mimeType } = given;
  if ('text' in given) {
    const name = JSON.stringify(neutralizeTags(uri));
    return text(`<resource uri=${name}>\n${neutralizeTags(given.text)}\n</resource>`);
  }
  if (mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: mimeType, data: given.blob }, title: inert(uri) };
  return image(given.blob, mimeType ?? 'an unknown type');
}
