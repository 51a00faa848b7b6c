/** A request as rules and reply functions see it. */

import type { WireRequest } from '../../model/anthropic/wire.js';
import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';
import {
  type ApiTurn,
  apiTurns,
  blocksOfType,
  blockText,
  contentBlocks,
  SYSTEM,
  spokenTurns,
} from '../scenario/api-turns.js';

export type SeenRequest = {
  readonly body: WireRequest;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  /** The system prompt, and the system messages of the conversation. */
  readonly system: string;
  /** Text of the last user turn. Empty if it has only tool results. */
  readonly user: string;
  /** Text of each user turn, in order. */
  readonly said: readonly string[];
  /** Tool results of the last user turn. */
  readonly results: readonly SeenResult[];
  /** The number of the request in its conversation: the assistant turns in it, plus one. */
  readonly nth: number;
  readonly tools: readonly string[];
};

export type SeenResult = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly error: boolean;
};

export function seeRequest(body: WireRequest, headers: Readonly<Record<string, string>>): SeenRequest {
  const turns = spokenTurns(body.messages);
  const users = turns.filter((turn) => turn.role === 'user');
  const last = turns.at(-1)?.role === 'user' ? turns.at(-1) : undefined;
  return {
    body,
    headers,
    model: body.model,
    system: [...contentBlocks(body.system), ...systemBlocks(body.messages)].map(blockText).join('\n'),
    user: turnText(last),
    said: users.map(turnText),
    results: resultsOf(last, turns.at(-2)),
    nth: turns.filter((turn) => turn.role === 'assistant').length + 1,
    tools: arrayOf(body.tools).map((tool) => (isObject(tool) ? textOf(tool.name) : '')),
  };
}

function systemBlocks(messages: unknown): readonly JsonObject[] {
  const turns = apiTurns(messages).filter(({ role }) => role === SYSTEM);
  return turns.flatMap(({ blocks }) => blocks.map(({ block }) => block));
}

function turnText(turn: ApiTurn | undefined): string {
  return blocksOfType(turn, 'text')
    .map(({ block }) => blockText(block))
    .join('\n');
}

function resultsOf(turn: ApiTurn | undefined, previous: ApiTurn | undefined): readonly SeenResult[] {
  const calls = new Map(blocksOfType(previous, 'tool_use').map(({ block }) => [block.id, block]));
  return blocksOfType(turn, 'tool_result').map(({ block }) => {
    const call = calls.get(block.tool_use_id);
    return {
      id: textOf(block.tool_use_id),
      tool: textOf(call?.name),
      input: call?.input,
      text: blockText(block),
      error: block.is_error === true,
    };
  });
}
