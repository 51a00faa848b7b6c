/** A call as a reply asked for it. */

import type { ToolUseBlock } from '../protocol/blocks.js';

export type Call = {
  readonly use: ToolUseBlock;
  /** Why it can't be run at all: its input is no JSON, or the reply broke off inside it. */
  readonly unusable?: string;
};
