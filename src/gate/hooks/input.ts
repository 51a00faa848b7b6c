/** What a hook is told: the fields every event has, its name, and the event's own. */

import type { PermissionMode } from '../../protocol/permission.js';
import type { HookEvent, HookEventFields } from './hook-events.js';

export type CommonInput = {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: PermissionMode;
  /** Of the child the event happened in; absent in the main agent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
};

export type HookInput<E extends HookEvent = HookEvent> = {
  [Event in E]: CommonInput & { readonly hook_event_name: Event } & HookEventFields[Event];
}[E];

/** The JSON a hook reads. A function gets the same text parsed, so that it can't change the call by changing its input. */
export function inputText<E extends HookEvent>(event: E, common: CommonInput, fields: HookEventFields[E]): string {
  return JSON.stringify({ ...common, hook_event_name: event, ...fields });
}
