/** Ids of messages and tool calls: made from the conversation, so that they are the same in every run and never twice in one. */

import { hashOf } from '../cache/block-key.js';

/** A call made without thinking first says so in its id: then nobody misses the thinking later. */
const THOUGHT = 'toolu_01';
const UNTHOUGHT = 'toolu_00';

export function messageId(seed: string): string {
  return `msg_01${digest(`message\0${seed}`)}`;
}

export function toolUseId(seed: string, index: number, thought: boolean): string {
  return `${thought ? THOUGHT : UNTHOUGHT}${digest(`tool\0${seed}\0${index}`)}`;
}

export function isUnthought(id: string): boolean {
  return id.startsWith(UNTHOUGHT);
}

function digest(seed: string): string {
  return hashOf(seed)
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(0, 22);
}
