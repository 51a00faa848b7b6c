/** The closed list of hook events, with each event's input fields and what a hook can do there. */

import type { ResultContent } from '../../protocol/blocks.js';
import type { ElicitationContent } from '../../protocol/mcp/elicitation.js';
import type { ResponseOf, ServerTool, ToolInputs } from '../../protocol/tools/built-in-tools.js';
import type { OtherInput } from '../../protocol/tools/tool-facts.js';

export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'PreCompact',
  'SessionEnd',
  'WorktreeCreate',
  'WorktreeRemove',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Elicitation',
  'ElicitationResult',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

/** A call: `tool_name === 'Bash'` narrows `tool_input` to the input of Bash. */
export type ToolCallFields = { readonly tool_use_id: string } & (
  | {
      readonly [T in keyof ToolInputs]: { readonly tool_name: T; readonly tool_input: ToolInputs[T] };
    }[keyof ToolInputs]
  | { readonly tool_name: ServerTool; readonly tool_input: OtherInput }
);

/** A call and its tool's response. */
export type ToolAnswerFields = { readonly tool_use_id: string } & (
  | {
      readonly [T in keyof ToolInputs]: {
        readonly tool_name: T;
        readonly tool_input: ToolInputs[T];
        readonly tool_response: ResponseOf<T>;
      };
    }[keyof ToolInputs]
  | {
      readonly tool_name: ServerTool;
      readonly tool_input: OtherInput;
      readonly tool_response: readonly ResultContent[];
    }
);

/** A call whose input type is not narrowed yet. */
export type AnyCall = { readonly id: string; readonly tool: string; readonly input: unknown };

/** The tool of that name has parsed the input, so its shape is known. */
export function callFields({ id, tool, input }: AnyCall): ToolCallFields {
  return { tool_name: tool, tool_input: input, tool_use_id: id } as ToolCallFields;
}

export function answerFields(call: AnyCall, response: unknown): ToolAnswerFields {
  return { ...callFields(call), tool_response: response } as ToolAnswerFields;
}

export type StopFields = {
  /** The agent already continues because of a hook; scripts check this to let it end. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
};

export type AgentFields = { readonly agent_id: string; readonly agent_type: string };

export type TaskFields = {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
};

/** The fields that each event adds to the common input. Existing scripts rely on these names. */
export interface HookEventFields {
  readonly SessionStart: { readonly source: 'startup' | 'resume' | 'clear' | 'compact'; readonly model?: string };
  readonly UserPromptSubmit: { readonly prompt: string };
  readonly PreToolUse: ToolCallFields;
  readonly PermissionRequest: ToolCallFields & { readonly permission_suggestions?: readonly unknown[] };
  readonly PostToolUse: ToolAnswerFields;
  readonly PostToolUseFailure: ToolCallFields & { readonly error: string; readonly is_interrupt?: boolean };
  readonly Notification: { readonly message: string; readonly notification_type: string; readonly title?: string };
  readonly SubagentStart: AgentFields;
  readonly SubagentStop: StopFields &
    AgentFields & {
      readonly agent_transcript_path?: string;
      /** The end of the run: `completed`, which a hook can prevent, or why it can't continue (`max_turns`, `refused`, `stopped` …). */
      readonly reason?: string;
    };
  readonly Stop: StopFields;
  readonly PreCompact: { readonly trigger: 'manual' | 'auto'; readonly custom_instructions: string };
  readonly SessionEnd: { readonly reason: string };
  readonly WorktreeCreate: { readonly name: string };
  readonly WorktreeRemove: { readonly worktree_path: string };
  readonly TaskCreated: TaskFields;
  readonly TaskCompleted: TaskFields;
  readonly TeammateIdle: { readonly teammate_name: string; readonly team_name?: string };
  readonly Elicitation: {
    readonly mcp_server_name: string;
    readonly message: string;
    readonly mode: 'form' | 'url';
    readonly url?: string;
    readonly requested_schema?: Readonly<Record<string, unknown>>;
  };
  readonly ElicitationResult: {
    readonly mcp_server_name: string;
    readonly mode: 'form' | 'url';
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: ElicitationContent;
  };
}

export type EventTraits = {
  /** The field a matcher is compared with; without one, every hook of the event runs, whatever its matcher. */
  readonly subject?:
    | 'tool_name'
    | 'source'
    | 'notification_type'
    | 'agent_type'
    | 'trigger'
    | 'reason'
    | 'mcp_server_name';
  /** A hook can answer allow, ask or deny about a call; an unusable matcher must not disable such a hook. */
  readonly guards: boolean;
  /** A hook can block: exit code 2, or `decision: "block"`. The effect depends on the event. */
  readonly blocks: boolean;
  /** A hook that fails (not started, killed, timed out, incomplete answer) blocks by failing. */
  readonly failureBlocks: boolean;
  /** The use of stdout that is not JSON. */
  readonly plainText: 'context' | 'shown' | 'path';
};

const SHOWN = { guards: false, blocks: true, failureBlocks: false, plainText: 'shown' } as const;
const NOTIFIED = { ...SHOWN, blocks: false } as const;

export const EVENT_TRAITS: Readonly<Record<HookEvent, EventTraits>> = {
  SessionStart: { ...NOTIFIED, subject: 'source', plainText: 'context' },
  UserPromptSubmit: { ...SHOWN, plainText: 'context' },
  PreToolUse: { ...SHOWN, subject: 'tool_name', guards: true, failureBlocks: true },
  // A failure need not block here: without an answer the user is asked, or the call is denied.
  PermissionRequest: { ...SHOWN, subject: 'tool_name', guards: true },
  PostToolUse: { ...SHOWN, subject: 'tool_name' },
  PostToolUseFailure: { ...SHOWN, subject: 'tool_name' },
  Notification: { ...NOTIFIED, subject: 'notification_type' },
  SubagentStart: { ...NOTIFIED, subject: 'agent_type', plainText: 'context' },
  SubagentStop: { ...SHOWN, subject: 'agent_type' },
  Stop: SHOWN,
  PreCompact: { ...SHOWN, subject: 'trigger' },
  SessionEnd: { ...NOTIFIED, subject: 'reason' },
  // The hook replaces git here: if it fails, there is no worktree.
  WorktreeCreate: { ...SHOWN, failureBlocks: true, plainText: 'path' },
  WorktreeRemove: NOTIFIED,
  TaskCreated: SHOWN,
  TaskCompleted: SHOWN,
  TeammateIdle: SHOWN,
  // A failure need not block here: without an answer the user is asked.
  Elicitation: { ...SHOWN, subject: 'mcp_server_name', guards: true },
  // A result that a hook should check is not sent unchecked.
  ElicitationResult: { ...SHOWN, subject: 'mcp_server_name', guards: true, failureBlocks: true },
};

/** The value that matchers of an event are compared with. */
export function subjectOf<E extends HookEvent>(event: E, fields: HookEventFields[E]): string | undefined {
  const { subject } = EVENT_TRAITS[event];
  if (subject === undefined) return undefined;
  const value = (fields as Readonly<Record<string, unknown>>)[subject];
  return typeof value === 'string' ? value : undefined;
}
