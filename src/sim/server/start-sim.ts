/** The simulated model: a server that speaks the Messages API and follows a scenario. */

import { factsFor, type ModelOverrides } from '../cache/model-facts.js';
import { countTokens } from '../cache/prompt-blocks.js';
import { promptCache } from '../cache/prompt-cache.js';
import { checkAccess } from '../checks/check-access.js';
import { betasIn } from '../checks/check-output.js';
import { checkRequest } from '../checks/check-request.js';
import type { JsonObject } from '../json-value.js';
import { ruleBook } from '../scenario/rule-book.js';
import type { Rule, Scenario } from '../scenario/scenario.js';
import { answerMessages } from './answer-messages.js';
import { type Answering, parseBody, respond, respondProblem } from './answering.js';
import type { Chunking } from './chunked-writer.js';
import { type Exchange, startLocalServer } from './local-server.js';
import { type SimClock, simClock } from './sim-clock.js';
import { describeSimRequest, type OpenRequest, openRequest, type SimRequest } from './sim-request.js';

export type SimOptions = {
  /** A scenario, or only its rules. Omitted: no rules until `use` sets some. */
  readonly scenario?: Scenario | readonly Rule[];
  /** 0 (default): any free port. */
  readonly port?: number;
  /** The only accepted key. Omitted: any key is accepted. */
  readonly key?: string;
  readonly clock?: SimClock;
  /** Time to the first token of every reply. A rule's own delay overrides it. */
  readonly ttftMs?: number;
  /** Split streams into chunks of random size. Omitted: one event at a time. */
  readonly chunk?: Chunking;
  /** Facts about models that differ from the built-in ones. */
  readonly models?: ModelOverrides;
  /** Store request bodies (default). Turn off for long runs with large bodies. */
  readonly keepBodies?: boolean;
  /** Called for every request when it has ended. */
  readonly onRequest?: (request: SimRequest) => void;
};

export interface Sim {
  readonly url: string;
  /** Every request received, in order of arrival. */
  readonly requests: readonly SimRequest[];
  /** Explanations for requests that no rule matched. */
  readonly unmatched: readonly string[];
  /** Switches to another scenario. */
  use(scenario: Scenario | readonly Rule[]): void;
  /** Resolves with the last request when `count` requests have arrived. */
  received(count: number): Promise<SimRequest>;
  /** Returns one line per request, for a failing test to print. */
  report(): string;
  close(): Promise<void>;
}

export async function startSim(options: SimOptions = {}): Promise<Sim> {
  const requests: SimRequest[] = [];
  const waiting: { count: number; resolve: (request: SimRequest) => void }[] = [];
  const answering: Answering = {
    book: ruleBook(toScenario(options.scenario ?? [])),
    cache: promptCache(),
    clock: options.clock ?? simClock,
    ttftMs: options.ttftMs ?? 0,
    chunk: options.chunk,
    models: options.models ?? {},
    unmatched: [],
    repetitions: new Map(),
    unthought: new Set(),
    paused: new Set(),
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const request = openRequest(exchange, requests.length, answering.clock.now(), options.keepBodies ?? true);
    requests.push(request);
    for (const waiter of waiting) if (waiter.count === requests.length) waiter.resolve(request);
    exchange.response.setHeader('request-id', requestId(request));
    await route(exchange, request, answering, options.key);
    if (request.ended === 'open') request.ended = exchange.response.writableFinished ? 'answered' : 'client left';
    options.onRequest?.(request);
  };

  const server = await startLocalServer(options.port ?? 0, handle);
  return {
    url: server.url,
    requests,
    unmatched: answering.unmatched,
    use: (scenario) => {
      answering.book = ruleBook(toScenario(scenario));
    },
    received: (count) =>
      new Promise((resolve) => {
        const last = requests[count - 1];
        if (last) resolve(last);
        else waiting.push({ count, resolve });
      }),
    report: () => [...requests.map(describeSimRequest), ...answering.unmatched].join('\n'),
    close: () => server.close(),
  };
}

function toScenario(given: Scenario | readonly Rule[]): Scenario {
  return 'rules' in given ? given : { rules: given };
}

function requestId(request: SimRequest): string {
  return `req_sim_${String(request.index + 1).padStart(6, '0')}`;
}

async function route(
  exchange: Exchange,
  request: OpenRequest,
  answering: Answering,
  key: string | undefined,
): Promise<void> {
  const refused = checkAccess(exchange, key);
  if (refused) return respondProblem(exchange, request, refused);
  const path = exchange.path.split('?')[0];
  if (exchange.method === 'POST' && path === '/v1/messages') return answerMessages(exchange, request, answering);
  if (exchange.method === 'POST' && path === '/v1/messages/count_tokens') {
    return answerCount(exchange, request, answering);
  }
  return respondProblem(exchange, request, { status: 404, type: 'not_found_error', message: 'Not found' });
}

/** POST /v1/messages/count_tokens: estimates the tokens of a prompt. */
async function answerCount(exchange: Exchange, request: OpenRequest, answering: Answering): Promise<void> {
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
