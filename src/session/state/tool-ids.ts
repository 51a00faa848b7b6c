/** Finds and changes the ids that tie calls to results, without touching the other bytes of a block. */

import { decode, encode, type FrozenBlock, type FrozenMessage } from '../../protocol/frozen-block.js';
import { sliceMembers } from '../../protocol/json-slices.js';

/** The id of a call, or the one a result answers; undefined for other blocks, and when it can't be read. */
export function toolIdOf(block: FrozenBlock): string | undefined {
  return textMember(block, block.type === 'tool_use' ? 'id' : 'tool_use_id');
}

export function toolNameOf(block: FrozenBlock): string {
  return textMember(block, 'name') ?? '';
}

export function withToolId(block: FrozenBlock, id: string): FrozenBlock {
  const at = sliceMembers(block.bytes).get(block.type === 'tool_use' ? 'id' : 'tool_use_id');
  if (at === undefined) return block;
  const { bytes } = block;
  return {
    ...block,
    bytes: Buffer.concat([bytes.subarray(0, at.start), encode(JSON.stringify(id)), bytes.subarray(at.end)]),
  };
}

export function callsIn(messages: Iterable<FrozenMessage>): string[] {
  const ids: string[] = [];
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const id = block.type === 'tool_use' ? toolIdOf(block) : undefined;
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}

function textMember(block: FrozenBlock, name: string): string | undefined {
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return undefined;
  try {
    const at = sliceMembers(block.bytes).get(name);
    const value: unknown = at && JSON.parse(decode(block.bytes.subarray(at.start, at.end)));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
