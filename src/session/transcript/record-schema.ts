/** What a record must hold to be acted on. A transcript is a file: anybody may have written into it. */

import * as z from 'zod';
import type { DurableEvent } from '../../protocol/events.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';

/** What is wrong with an event that was read, in words; undefined when it can be used. */
export function checkEvent(event: DurableEvent): string | undefined {
  const schema = SCHEMAS[event.kind];
  if (schema === undefined) return undefined;
  const { success, error } = schema.safeParse(event);
  if (success) return undefined;
  const issue = error.issues[0];
  return `${event.kind}: ${issue?.path.join('.') || 'record'}: ${issue?.message ?? 'not valid'}`;
}

const count = z.number().int().nonnegative();
/** They were sliced out as blocks already, or the line would have been no record. */
const blocks = z.array(z.looseObject({ type: z.string() }));
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
});
/** Of a file's content; null: no file. */
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
const mode = z.enum(PERMISSION_MODES);

const SCHEMAS: Partial<Record<DurableEvent['kind'], z.ZodType>> = {
  'session-started': z.object({ session: z.string(), cwd: z.string(), model: z.string(), mode }),
  'epoch-started': z.object({ reason: z.string(), prefix: z.string(), model: z.string(), maxTokens: z.number() }),
  'agent-spawned': z.object({
    agent: z.string(),
    type: z.string(),
    parent: z.string(),
    call: z.string(),
    depth: count,
    origin: z.string(),
    model: z.string(),
    mode,
    cwd: z.string(),
    tools: z.array(z.string()),
    fork: z
      .object({ session: z.string(), agent: z.string(), upTo: count, messages: count, sha256: z.string() })
      .optional(),
  }),
  'agent-state-changed': z.object({
    state: z.enum(['running', 'waiting', 'interrupted', 'completed', 'failed', 'stopped']),
    run: count,
    by: z.enum(['person', 'model', 'budget']).optional(),
  }),
  'result-made': z.object({ run: count, status: z.string(), text: z.string() }),
  'notice-queued': z.object({ run: count, to: z.string(), text: z.string() }),
  'input-admitted': z.object({
    origin: z.string(),
    notice: z.object({ agent: z.string(), run: count }).optional(),
    blocks,
  }),
  'message-joined': z.object({ from: z.array(count) }),
  'assistant-replied': z.object({ stop: z.string(), usage, blocks }),
  'call-intended': z.object({ call: z.string() }),
  'call-finished': z.object({ call: z.string(), tool: z.string(), blocks }),
  'history-compacted': z.object({ blocks }),
  'history-mended': z.object({ message: z.number().int(), block: z.number().int(), blocks }),
  'history-rewound': z.object({
    before: count,
    conversation: z.boolean(),
    files: z.array(z.object({ path: z.string(), sha256: hash, from: hash })),
  }),
  'task-started': z.object({ task: z.string(), call: z.string(), command: z.string(), output: z.string() }),
  'file-kept': z.object({ path: z.string(), sha256: hash }),
  'file-left': z.object({ path: z.string(), sha256: hash }),
  'todos-changed': z.object({ items: z.array(z.unknown()) }),
  'mode-changed': z.object({ mode }),
  'run-ended': z.object({ reason: z.string(), usage }),
};
