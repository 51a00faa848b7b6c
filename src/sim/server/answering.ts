/** Shared by all endpoints: the state of the simulated model, body parsing, error responses. */

import { isUtf8 } from 'node:buffer';
import { reasonOf } from '../../protocol/reason-of.js';
import type { ModelOverrides } from '../cache/model-facts.js';
import type { PromptCache } from '../cache/prompt-cache.js';
import { errorBody, invalid, type Problem, tooLarge } from '../checks/problem.js';
import type { RuleBook } from '../scenario/rule-book.js';
import type { Chunking } from './chunked-writer.js';
import type { Exchange } from './local-server.js';
import type { SimClock } from './sim-clock.js';
import type { OpenRequest } from './sim-request.js';

export type Answering = {
  book: RuleBook;
  readonly cache: PromptCache;
  readonly clock: SimClock;
  readonly ttftMs: number;
  readonly chunk: Chunking | undefined;
  readonly models: ModelOverrides;
  readonly unmatched: string[];
  /** The number of times each prompt was sent. A repeated one gets new ids. */
  readonly repetitions: Map<string, number>;
  /** Calls with ids from the scenario that were made without thinking first. */
  readonly unthought: Set<string>;
  /** The last blocks of paused replies, by hash. */
  readonly paused: Set<string>;
};

export type ParsedBody = { readonly value: unknown } | { readonly problem: Problem };

export function parseBody(body: Buffer | undefined): ParsedBody {
  if (!body) return { problem: tooLarge() };
  if (!isUtf8(body)) return { problem: invalid('The request body is not valid JSON: invalid utf-8') };
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch (error) {
    return {
      problem: invalid(`The request body is not valid JSON: ${reasonOf(error)}`),
    };
  }
}

export function respondProblem(
  exchange: Exchange,
  request: OpenRequest,
  problem: Problem,
  headers: Readonly<Record<string, string>> = {},
): void {
  request.error = problem.message;
  const requestId = String(exchange.response.getHeader('request-id'));
  respond(exchange, request, problem.status, JSON.stringify(errorBody(problem, requestId)), headers);
}

export function respond(
  exchange: Exchange,
  request: OpenRequest,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  request.status = status;
  request.ended = 'answered';
  exchange.response.writeHead(status, { 'content-type': 'application/json', ...headers });
  exchange.response.end(body);
}
