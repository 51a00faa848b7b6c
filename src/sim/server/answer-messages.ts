/** POST /v1/messages: checks the request, finds its rule, counts tokens, and sends the rule's reply. */

import type { WireRequest } from '../../model/anthropic/wire.js';
import { blockKey } from '../cache/block-key.js';
import { factsFor } from '../cache/model-facts.js';
import { type Prompt, promptBlocks } from '../cache/prompt-blocks.js';
import { keyOf } from '../checks/check-access.js';
import { betasIn } from '../checks/check-output.js';
import { checkRequest } from '../checks/check-request.js';
import { promptTooLong } from '../checks/problem.js';
import type { JsonObject } from '../json-value.js';
import type { ApiTurn } from '../scenario/api-turns.js';
import { faultResponse, faultyReply } from '../scenario/faults.js';
import { type ModelReply, makeReply } from '../scenario/make-reply.js';
import type { TakenRule } from '../scenario/rule-book.js';
import type { Fault } from '../scenario/scenario.js';
import { type Answering, parseBody, respond, respondProblem } from './answering.js';
import type { Exchange } from './local-server.js';
import { type SeenRequest, seeRequest } from './seen-request.js';
import { sendReply } from './send-reply.js';
import type { OpenRequest } from './sim-request.js';

export async function answerMessages(exchange: Exchange, request: OpenRequest, answering: Answering): Promise<void> {
  const parsed = parseBody(exchange.body);
  if ('problem' in parsed) return respondProblem(exchange, request, parsed.problem);
  const problem = checkRequest(parsed.value, {
    models: answering.models,
    betas: betasIn(exchange.headers),
    window: false,
    unthought: (id) => answering.unthought.has(id),
    paused: (turn) => answering.paused.has(lastBlockHash(turn)),
  });
  if (problem) return respondProblem(exchange, request, problem);

  const body = parsed.value as JsonObject & WireRequest;
  const facts = factsFor(body.model, answering.models);
  const prompt = promptBlocks(body, facts, keyOf(exchange.headers));
  if (prompt.tokens > facts.contextTokens) {
    return respondProblem(exchange, request, promptTooLong(prompt.tokens, facts.contextTokens));
  }

  const seen = seeRequest(body, exchange.headers);
  const taken = answering.book.take(seen);
  if (!taken) return respondUnmatched(exchange, request, answering, seen);
  request.rule = taken.label;
  request.fault = taken.fault?.kind;
  if (taken.fault && respondFault(exchange, request, taken.fault, body.model, facts.contextTokens)) return;

  const plan = answering.cache.plan(prompt, facts.cacheMinimum, request.at);
  const reply = await replyOf(taken, seen, { input: plan.usage, seed: seedOf(prompt, answering) });
  if (reply instanceof Error) return respondBroken(exchange, request, taken, reply);
  request.usage = reply.usage;
  request.stop = reply.stop;
  recordReply(reply, answering);
  await sendReply(exchange, request, answering, reply, {
    stream: body.stream === true,
    fault: taken.fault,
    delay: { firstMs: answering.ttftMs, ...taken.rule.delay },
    begin: () => plan.begin(answering.clock.now()),
  });
}

/** Tells the client not to retry, because a retry would fail in the same way. */
const NO_RETRY = { 'x-should-retry': 'false' };

function respondUnmatched(exchange: Exchange, request: OpenRequest, answering: Answering, seen: SeenRequest): void {
  const message = answering.book.explain(seen);
  answering.unmatched.push(`request #${request.index}: ${message}`);
  respondProblem(exchange, request, { status: 500, type: 'api_error', message }, NO_RETRY);
}

function respondBroken(exchange: Exchange, request: OpenRequest, taken: TakenRule, error: Error): void {
  const message = `The reply of rule ${taken.label} failed: ${error.message}`;
  respondProblem(exchange, request, { status: 500, type: 'api_error', message }, NO_RETRY);
}

/** Sends the fault's response, if the fault replaces the response. */
function respondFault(
  exchange: Exchange,
  request: OpenRequest,
  fault: Fault,
  model: string,
  contextTokens: number,
): boolean {
  const found = faultResponse(fault, model, contextTokens);
  if (!found) return false;
  const headers: Record<string, string> =
    found.retryAfter === undefined ? {} : { 'retry-after': String(found.retryAfter) };
  if (!found.html) {
    respondProblem(exchange, request, found.problem, headers);
    return true;
  }
  const { status, message } = found.problem;
  const page = `<html><head><title>${status}</title></head><body><h1>${status} ${message}</h1></body></html>\n`;
  respond(exchange, request, status, page, { ...headers, 'content-type': 'text/html' });
  return true;
}

async function replyOf(
  taken: TakenRule,
  seen: SeenRequest,
  context: { readonly input: Parameters<typeof makeReply>[2]['input']; readonly seed: string },
): Promise<ModelReply | Error> {
  const { rule, captures, fault } = taken;
  try {
    const given = typeof rule.reply === 'function' ? await rule.reply(seen) : (rule.reply ?? []);
    return faultyReply(
      makeReply(given, rule, { ...context, captures, model: seen.model, hidesThinking: hidesThinking(seen) }),
      fault,
    );
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function hidesThinking({ body: { thinking } }: SeenRequest): boolean {
  return thinking !== undefined && 'display' in thinking && thinking.display === 'omitted';
}

/** Different for every prompt and every repetition of it; the same in every run, regardless of other requests. */
function seedOf(prompt: Prompt, answering: Answering): string {
  const key = prompt.blocks.at(-1)?.key ?? '';
  const repetition = (answering.repetitions.get(key) ?? 0) + 1;
  answering.repetitions.set(key, repetition);
  return `${key}\0${repetition}`;
}

/** Records what later requests may contain because we sent it. */
function recordReply(reply: ModelReply, answering: Answering): void {
  const [first] = reply.blocks;
  const thought = first?.block.type === 'thinking' || first?.block.type === 'redacted_thinking';
  for (const { block } of reply.blocks) if (block.type === 'tool_use' && !thought) answering.unthought.add(block.id);
  const last = reply.blocks.at(-1);
  if (reply.stop === 'pause_turn' && last) answering.paused.add(blockKey('', { ...last.block }).hash);
}

function lastBlockHash(turn: ApiTurn): string {
  const last = turn.blocks.at(-1);
  return last ? blockKey('', last.block).hash : '';
}
