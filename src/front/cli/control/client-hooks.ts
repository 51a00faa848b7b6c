/** Hooks of a client: functions in its process, called by a request for each run. */

import * as z from 'zod';
import type { FunctionAnswer, FunctionHook, HookGroup, HooksConfig } from '../../../gate/hooks/hook-config.js';
import { HOOK_EVENTS, type HookEvent, isHookEvent } from '../../../gate/hooks/hook-events.js';
import { isObject } from '../../../protocol/json/json-values.js';
import { fail, type Result } from '../../../protocol/result.js';
import type { ClientAnswer, ClientRequests } from './client-requests.js';

const matchers = z.array(
  z.strictObject({
    matcher: z.string().nullish(),
    hookCallbackIds: z.array(z.string()),
    /** In seconds. */
    timeout: z.number().nullish(),
    onFailure: z.enum(['continue', 'block']).nullish(),
  }),
);

type Matcher = z.infer<typeof matchers>[number];

export type ClientHooks = Result<{ readonly hooks: HooksConfig }>;

/** Refuses hooks that would not run: the client may rely on their denials. */
export function clientHooks(given: unknown, client: ClientRequests): ClientHooks {
  if (!isObject(given)) return fail('hooks must be an object');
  const hooks: Partial<Record<HookEvent, readonly HookGroup[]>> = {};
  for (const [event, value] of Object.entries(given)) {
    const read = matchers.safeParse(value);
    if (!read.success) return fail(`hooks.${event}: ${z.prettifyError(read.error).replaceAll('\n', ' ')}`);
    if (read.data.length === 0) continue;
    if (!isHookEvent(event)) return fail(`hooks for ${event}; events are: ${HOOK_EVENTS.join(', ')}`);
    hooks[event] = read.data.map((matcher) => groupOf(matcher, client));
  }
  return { ok: true, hooks: hooks as HooksConfig };
}

function groupOf({ matcher, hookCallbackIds, timeout, onFailure }: Matcher, client: ClientRequests): HookGroup {
  return {
    ...(matcher == null ? {} : { matcher }),
    ...(timeout == null ? {} : { timeout }),
    ...(onFailure == null ? {} : { onFailure }),
    hooks: hookCallbackIds.map((id) => callback(id, client)),
  };
}

/** May throw; the gate decides what that means: a guard that can't be asked has not agreed. */
function callback(id: string, client: ClientRequests): FunctionHook {
  return async (input, { signal }) => {
    const call = 'tool_use_id' in input ? { tool_use_id: input.tool_use_id } : {};
    const answer = await client.send({ subtype: 'hook_callback', callback_id: id, input, ...call }, signal);
    if (answer.kind === 'answered') return readOutput(answer.response);
    throw new Error(failureOf(answer));
  };
}

/** `async`: the client continues on its own, without a decision. */
function readOutput(response: unknown): FunctionAnswer {
  if (response === undefined || response === null) return undefined;
  if (typeof response !== 'object')
    throw new Error(`the client's hook answered ${JSON.stringify(response).slice(0, 80)}`);
  return 'async' in response && response.async === true ? undefined : (response as FunctionAnswer);
}

function failureOf(answer: Exclude<ClientAnswer, { readonly kind: 'answered' }>): string {
  switch (answer.kind) {
    case 'failed':
      return `the client's hook failed: ${answer.error}`;
    case 'gone':
      return "the client has closed its input, so its hook can't be asked";
    case 'withdrawn':
      return "the client's hook was not waited for any longer";
    default:
      return answer satisfies never;
  }
}
