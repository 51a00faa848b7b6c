/** POST /v1/messages/count_tokens: estimates the tokens of a prompt. */

import { factsFor } from '../cache/model-facts.js';
import { countTokens } from '../cache/prompt-blocks.js';
import { betasIn } from '../checks/check-output.js';
import { checkRequest } from '../checks/check-request.js';
import type { JsonObject } from '../json-value.js';
import { type Answering, parseBody, respond, respondProblem } from './answering.js';
import type { Exchange } from './local-server.js';
import type { OpenRequest } from './sim-request.js';

export async function answerCount(exchange: Exchange, request: OpenRequest, answering: Answering): Promise<void> {
  const parsed = parseBody(exchange.body);
  if ('problem' in parsed) return respondProblem(exchange, request, parsed.problem);
  const problem = checkRequest(parsed.value, {
    models: answering.models,
    betas: betasIn(exchange.headers),
    counting: true,
    window: false,
  });
  if (problem) return respondProblem(exchange, request, problem);
  const body = parsed.value as JsonObject;
  const tokens = countTokens(body, factsFor(String(body.model), answering.models));
  respond(exchange, request, 200, JSON.stringify({ input_tokens: tokens }));
}
