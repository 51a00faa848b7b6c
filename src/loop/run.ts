/** One execution of the loop for one agent: what every step of it is given, and what steps hand to each other. */

import type { ToolUseBlock } from '../protocol/blocks.js';
import type { Agent } from './agent.js';
import type { Ports } from './ports.js';

export type Run = {
  readonly agent: Agent;
  readonly ports: Ports;
  readonly signal: AbortSignal;
};

/** A call as a reply asked for it. */
export type Call = {
  readonly use: ToolUseBlock;
  /** Why it can't be run at all: its input is no JSON, or the reply broke off inside it. */
  readonly unusable?: string;
};

/** Why a turn came to nothing, when that is nobody's interruption. */
export type TurnFailure = {
  readonly kind: 'failed';
  readonly reason: 'api_error' | 'refused' | 'overflow' | 'max_usd' | 'max_tokens';
  readonly line: string;
};
