/** Ids of messages and tool calls, derived from the conversation: the same in every run, unique within one. */

import { hashOf } from '../cache/block-key.js';

/** The id of a call shows whether it was made without thinking first: then no thinking block is required later. */
const THOUGHT = 'toolu_01';
const UNTHOUGHT = 'toolu_00';

export function messageId(seed: string): string {
  return `msg_01${digest(`message\0${seed}`)}`;
}

export function toolUseId(seed: string, index: number, thought: boolean): string {
  return `${thought ? THOUGHT : UNTHOUGHT}${digest(`tool\0${seed}\0${index}`)}`;
}

export function searchId(seed: string, index: number): string {
  return `srvtoolu_01${digest(`search\0${seed}\0${index}`)}`;
}

export function isUnthought(id: string): boolean {
  return id.startsWith(UNTHOUGHT);
}

function digest(seed: string): string {
  return hashOf(seed)
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(0, 22);
}
