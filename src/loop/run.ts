/** One execution of the loop for one agent: what each step gets, and what steps pass to each other. */

import type { ToolUseBlock } from '../protocol/blocks.js';
import type { Tool } from '../tools/tool.js';
import type { Agent } from './agent.js';
import type { Ports } from './ports.js';

export type Run = {
  readonly agent: Agent;
  readonly ports: Ports;
  readonly signal: AbortSignal;
};

/** A tool call: of a reply, or of a client. */
export type Call = {
  readonly use: ToolUseBlock;
  /** Why it can't run: its input is not JSON, or the reply was cut off inside it. */
  readonly unusable?: string;
  /** A client called the tool, not a model: it is no part of the conversation. */
  readonly aside?: true;
  /** The person typed it: that is their word for it, and it is judged as theirs, not as the agent's. */
  readonly typed?: true;
  /** The tool that is meant, where the person uses one that the agent may not have. */
  readonly tool?: Tool;
};

/** Why a turn failed, other than by an interruption. */
export type TurnFailure = {
  readonly kind: 'failed';
  readonly reason: 'api_error' | 'refused' | 'overflow' | 'max_usd' | 'max_tokens';
  readonly line: string;
};
