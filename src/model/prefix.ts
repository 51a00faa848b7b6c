/**
 * The frozen prefix of a conversation: API version, betas, model, parameters, tools and system prompt as bytes.
 * It is made once per epoch, stored under its hash, and every request of the epoch, and of every fork, repeats it.
 */

import { createHash } from 'node:crypto';
import { decode, type FrozenBlock, freezeBlock, thawBlock } from '../protocol/frozen-block.js';
import { sliceElements, sliceMembers } from '../protocol/json-slices.js';
import type { WireThinking, WireTool, WireToolChoice } from './anthropic/wire.js';

export const API_VERSION = '2023-06-01';

export type PrefixContent = {
  readonly model: string;
  readonly betas?: readonly string[];
  readonly thinking?: WireThinking;
  readonly effort?: string;
  readonly toolChoice?: WireToolChoice;
  readonly tools: readonly WireTool[];
  readonly system: readonly string[];
};

export type Prefix = {
  /** Of `bytes`. */
  readonly sha256: string;
  /** What is stored: one JSON object with everything that is part of the hash. */
  readonly bytes: Buffer;
  readonly apiVersion: string;
  readonly betas: readonly string[];
  readonly model: string;
  /** `"thinking":…,"tool_choice":…,` as they stand in a request body, each with its comma; may be empty. */
  readonly parameters: Buffer;
  /** `[…]` */
  readonly tools: Buffer;
  readonly system: readonly FrozenBlock[];
};

export function freezePrefix(parts: PrefixContent): Prefix {
  const system = parts.system.filter((text) => text.trim() !== '').map((text) => freezeBlock({ type: 'text', text }));
  const members = [
    `"api_version":${JSON.stringify(API_VERSION)}`,
    `"betas":${JSON.stringify(parts.betas ?? [])}`,
    `"model":${JSON.stringify(parts.model)}`,
    ...parameterMembers(parts),
    `"tools":${JSON.stringify(parts.tools)}`,
    `"system":[${system.map((block) => decode(block.bytes)).join(',')}]`,
  ];
  return loadPrefix(Buffer.from(`{${members.join(',')}}`));
}

/** From the stored bytes. Throws when they are not a prefix. */
export function loadPrefix(bytes: Buffer): Prefix {
  const members = sliceMembers(bytes);
  const part = (name: string): Buffer => {
    const slice = members.get(name);
    if (slice === undefined) throw new Error(`a stored prefix without "${name}"`);
    return bytes.subarray(slice.start, slice.end);
  };
  const system = part('system');
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes,
    apiVersion: JSON.parse(part('api_version').toString('utf8')) as string,
    betas: JSON.parse(part('betas').toString('utf8')) as string[],
    model: JSON.parse(part('model').toString('utf8')) as string,
    parameters: Buffer.concat(
      [...members.keys()]
        .filter((name) => !OUTSIDE_PARAMETERS.has(name))
        .map((name) => Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), part(name), Buffer.from(',')])),
    ),
    tools: part('tools'),
    system: sliceElements(system).map(({ start, end }) => thawBlock(system.subarray(start, end))),
  };
}

const OUTSIDE_PARAMETERS = new Set(['api_version', 'betas', 'model', 'tools', 'system']);

function parameterMembers(parts: PrefixContent): string[] {
  const members: string[] = [];
  if (parts.thinking) members.push(`"thinking":${JSON.stringify(parts.thinking)}`);
  if (parts.effort) members.push(`"output_config":${JSON.stringify({ effort: parts.effort })}`);
  if (parts.toolChoice) members.push(`"tool_choice":${JSON.stringify(parts.toolChoice)}`);
  return members;
}
