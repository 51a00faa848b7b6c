/** The input of a hook: the common fields, the event's name, and the event's own fields. */

import type { PermissionMode } from '../../protocol/permission.js';
import type { HookEvent, HookEventFields } from './hook-events.js';

export type CommonInput = {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: PermissionMode;
  /** The child in which the event happened; absent in the main agent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  /** The path of agents down to the one in which the event happened, and its depth. */
  readonly chain?: string;
  readonly depth?: number;
};

export type HookInput<E extends HookEvent = HookEvent> = {
  [Event in E]: CommonInput & { readonly hook_event_name: Event } & HookEventFields[Event];
}[E];

/** The JSON input of a hook. A function gets its own copy, so it can't change the call through its input. */
export function inputText<E extends HookEvent>(event: E, common: CommonInput, fields: HookEventFields[E]): string {
  return JSON.stringify({ ...common, hook_event_name: event, ...fields });
}
