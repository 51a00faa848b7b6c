/** A part of a user message: blocks that are on disk already, under the record `seq`. */

import type { FrozenBlock } from '../protocol/frozen-block.js';

export type Part = { readonly seq: number; readonly blocks: readonly FrozenBlock[] };
