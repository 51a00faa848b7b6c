/** One execution of the loop for one agent: the inputs of each step, and the values that steps pass on. */

import type { ToolUseBlock } from '../protocol/blocks.js';
import type { Tool } from '../tools/tool.js';
import type { Agent } from './agent.js';
import type { Ports } from './ports.js';

export type Run = {
  readonly agent: Agent;
  readonly ports: Ports;
  readonly signal: AbortSignal;
};

/** A tool call from a reply or from a client. */
export type Call = {
  readonly use: ToolUseBlock;
  /** Why it can't run: invalid JSON input, or a reply cut off inside the call. */
  readonly unusable?: string;
  /** Called by a client, not by a model: not part of the conversation. */
  readonly aside?: true;
  /** Typed by the user, so judged with the user's permissions, not the agent's. */
  readonly typed?: true;
  /** The tool to use, for a user's call of a tool that the agent may not have. */
  readonly tool?: Tool;
};

/** Why a turn failed, other than by interruption. */
export type TurnFailure = {
  readonly kind: 'failed';
  readonly reason: 'api_error' | 'refused' | 'overflow' | 'max_usd' | 'max_tokens';
  readonly line: string;
};
