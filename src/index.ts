/** The library: sessions, tools of your own, events, and the types of all of them. */

export type { Session } from './engine/session.js';
export type { SessionOptions } from './engine/session-options.js';
export { CoppiceError, createSession } from './front/sdk/create-session.js';
export { defineTool, type ToolDefinition } from './front/sdk/define-tool.js';
export { Tally } from './front/view/tally.js';
export type { FunctionHook, HookGroup, HooksConfig } from './gate/hooks/hook-config.js';
export type { Host } from './host/host.js';
export { nodeHost } from './host/node-host.js';
export type { RunEnd } from './loop/run-loop.js';
export type { ModelRequest } from './model/anthropic/body.js';
export { buildBody } from './model/anthropic/body.js';
export type { FinishedBlock, ModelClient, ModelEvent } from './model/model-client.js';
export { type ContentBlock, type Message, text, type UserBlock } from './protocol/blocks.js';
export type { AgentEvent, DurableEvent, LiveEvent, SessionEvent } from './protocol/events.js';
export { freezeBlock, parseBlock } from './protocol/frozen-block.js';
export { failed, succeeded, type ToolOutcome } from './protocol/outcome.js';
export type {
  AskPermission,
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
} from './protocol/permission.js';
export type { Usage } from './protocol/usage.js';
export type { Listener } from './session/emit.js';
export type { Tool, ToolContext } from './tools/tool.js';
