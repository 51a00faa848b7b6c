/** The schema of scenario files. Its errors are written for people, who write these files by hand. */

import * as z from 'zod';

const pattern = z.union(
  [z.string(), z.strictObject({ matches: z.string().superRefine(checkExpression), flags: z.string().optional() })],
  { error: 'must be a string to search for, or { matches: "a regular expression" }' },
);

const resultPattern = z.strictObject({
  tool: z.string().optional(),
  text: pattern.optional(),
  error: z.boolean().optional(),
});

const when = z.strictObject({
  user: pattern.optional(),
  said: pattern.optional(),
  result: z
    .union([pattern, resultPattern], { error: 'must be a string, { matches } or { tool, text, error }' })
    .optional(),
  system: pattern.optional(),
  model: pattern.optional(),
  nth: z.int().min(1).optional(),
  tool: z.string().optional(),
  any: z.literal(true).optional(),
  get not() {
    return when.optional();
  },
});

const page = z.strictObject({
  title: z.string(),
  url: z.string(),
  text: z.string().optional(),
  age: z.string().optional(),
});

const block = z.union(
  [
    z.string(),
    z.strictObject({ text: z.string(), cites: z.array(page).optional() }),
    z.strictObject({ thinking: z.string() }),
    z.strictObject({ redacted: z.string() }),
    z.strictObject({ tool: z.string(), json: z.string(), id: z.string().optional() }),
    z.strictObject({
      tool: z.string(),
      input: z.record(z.string(), z.unknown()).optional(),
      id: z.string().optional(),
    }),
    z.strictObject({ search: z.string(), results: z.array(page).optional(), id: z.string().optional() }),
    z.strictObject({ search: z.string(), error: z.string(), id: z.string().optional() }),
  ],
  {
    error:
      'must be a string, or one of { text, cites }, { thinking }, { redacted }, { tool, input, id }, { tool, json, id }, { search, results, id }, { search, error, id }',
  },
);

const count = z.int().min(0).optional();
const times = z.int().min(1).optional();

const usage = z.strictObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  webSearches: count,
});

const PLAIN_FAULTS = [
  'max_tokens',
  'refusal',
  'pause_turn',
  'overflow',
  'too_large',
  'unauthorized',
  'no_model',
] as const;
const ERROR_TYPES = [
  'api_error',
  'overloaded_error',
  'rate_limit_error',
  'timeout_error',
  'invalid_request_error',
] as const;

const faultObject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['rate_limit', 'overloaded']), retryAfter: z.number().min(0).optional(), times }),
  z.strictObject({
    kind: z.literal('server_error'),
    status: z.union([z.literal(500), z.literal(502), z.literal(503), z.literal(504)]).optional(),
    body: z.enum(['json', 'html']).optional(),
    retryAfter: z.number().min(0).optional(),
    times,
  }),
  z.strictObject({
    kind: z.literal('disconnect'),
    at: z.union([z.literal('headers'), z.int().min(0)]).optional(),
    inside: z.boolean().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal('malformed'), at: count, how: z.enum(['garbage', 'json']).optional(), times }),
  z.strictObject({ kind: z.literal('silence'), at: count, times }),
  z.strictObject({
    kind: z.literal('error_event'),
    at: count,
    type: z.enum(ERROR_TYPES).optional(),
    message: z.string().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal('bad_block'), path: z.string(), message: z.string().optional(), times }),
  z.strictObject({ kind: z.enum(PLAIN_FAULTS), times }),
]);

const faultName = z.enum([
  'rate_limit',
  'overloaded',
  'server_error',
  'disconnect',
  'malformed',
  'silence',
  'error_event',
  ...PLAIN_FAULTS,
]);

const stop = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

const rule = z
  .strictObject({
    name: z.string().optional(),
    when: when.optional(),
    reply: z.union([z.string(), z.array(block)], { error: 'must be a string or a list of blocks' }).optional(),
    stop: stop.optional(),
    usage: usage.optional(),
    delay: z.strictObject({ firstMs: count, eventMs: count }).optional(),
    fault: z
      .union([faultName, faultObject], { error: `must be one of ${faultName.options.join(', ')}, or { kind, … }` })
      .optional(),
    times,
  })
  .refine((given) => given.reply !== undefined || given.fault !== undefined || given.stop !== undefined, {
    error: 'a rule needs a `reply`, a `fault` or a `stop`',
  });

export const scenarioSchema = z.strictObject({ name: z.string().optional(), rules: z.array(rule) });

function checkExpression(source: string, context: z.RefinementCtx): void {
  try {
    new RegExp(source);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not a regular expression' });
  }
}
