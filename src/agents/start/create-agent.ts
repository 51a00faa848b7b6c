/** Makes an agent ready to run: its transcript, its inbox, its state. Main and children alike. */

import type { Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import { Activity } from '../../loop/activity.js';
import {
  type Agent,
  type AgentPermission,
  type CallIds,
  type LastRequest,
  NO_REQUEST,
  type RequestReference,
} from '../../loop/agent.js';
import type { Budget } from '../../loop/budget.js';
import type { Conversation } from '../../model/conversation.js';
import { modelData, thinkingParameters } from '../../model/models.js';
import { freezePrefix, type Prefix } from '../../model/prefix.js';
import type { EpochReason } from '../../protocol/events.js';
import { NO_USAGE, type Usage } from '../../protocol/usage.js';
import { createEmit } from '../../session/emit.js';
import { type Admitted, Inbox } from '../../session/inbox.js';
import { Transcript, type TranscriptEnd } from '../../session/transcript/transcript.js';
import { FilesRead } from '../../tools/files-read.js';
import { declareTools } from '../../tools/registry.js';
import type { TodoItem, Tool } from '../../tools/tool.js';
import type { Runtime } from '../runtime.js';

export type AgentSpec = {
  readonly id: string;
  readonly type: string;
  readonly depth: number;
  readonly maxTurns: number;
  readonly conversation: Conversation;
  readonly tools: readonly Tool[];
  readonly permission: AgentPermission;
  readonly hooks: Hooks;
  readonly host: Host;
  readonly roots: readonly string[];
  readonly budget: Budget;
  readonly maxTokens: number;
  readonly files?: FilesRead;
  readonly callIds?: CallIds;
  readonly reference?: RequestReference;
  readonly transcript: string;
  /** Where it stood, when it is not new. */
  readonly resumed?: ResumedState;
};

export type ResumedState = {
  readonly end: TranscriptEnd | undefined;
  /** Undefined: the epoch under way goes on. */
  readonly newEpoch: EpochReason | undefined;
  readonly pending: readonly Admitted[];
  readonly todos: readonly TodoItem[];
  readonly usage: Usage;
  readonly lastRequest: LastRequest;
};

export type CreatedAgent = { readonly agent: Agent; readonly transcript: Transcript };

export async function createAgent(runtime: Runtime, spec: AgentSpec): Promise<CreatedAgent> {
  const transcript = await Transcript.open({
    host: runtime.host,
    path: spec.transcript,
    ...(spec.resumed?.end ? { end: spec.resumed.end } : {}),
    onSuspect: (line) => {
      for (const watch of runtime.listeners) {
        watch({ agent: spec.id, seq: undefined, event: { kind: 'line-shown', level: 'error', line } });
      }
    },
  });
  const emit = createEmit(spec.id, transcript, runtime.listeners);
  const agent: Agent = {
    id: spec.id,
    type: spec.type,
    depth: spec.depth,
    model: modelData(spec.conversation.prefix.model, runtime.models),
    maxTokens: spec.maxTokens,
    cacheLifetime: runtime.cacheLifetime,
    maxTurns: spec.maxTurns,
    conversation: spec.conversation,
    newEpoch: spec.resumed ? spec.resumed.newEpoch : 'session-start',
    tools: spec.tools,
    permission: spec.permission,
    hooks: spec.hooks,
    activity: new Activity(),
    inbox: new Inbox(emit, spec.resumed?.pending),
    emit,
    host: spec.host,
    files: spec.files ?? new FilesRead(),
    shell: { cwd: spec.host.folder },
    roots: spec.roots,
    todos: { items: spec.resumed?.todos ?? [] },
    callIds: spec.callIds ?? new Set(),
    settledCalls: [],
    budget: spec.budget,
    reference: spec.reference,
    lastRequest: spec.resumed?.lastRequest ?? NO_REQUEST,
    usage: spec.resumed?.usage ?? NO_USAGE,
  };
  return { agent, transcript };
}

export type PrefixRequest = {
  /** A full id. */
  readonly model: string;
  readonly thinks: boolean;
  readonly effort?: string | undefined;
  /** The longest reply that will be asked for: thinking must leave room for it. */
  readonly maxTokens: number;
  readonly tools: readonly Tool[];
  readonly system: readonly string[];
};

/** Agents of one kind share one prefix: it is frozen once. */
export function prefixFor(runtime: Pick<Runtime, 'models' | 'prefixes'>, request: PrefixRequest): Prefix {
  const tools = request.tools.map(numberOf);
  const key = JSON.stringify([request.model, request.thinks, request.effort, request.maxTokens, tools, request.system]);
  const known = runtime.prefixes.get(key);
  if (known !== undefined) return known;
  const prefix = freezePrefix({
    model: request.model,
    ...thinkingParameters(modelData(request.model, runtime.models), request.thinks, request.effort, request.maxTokens),
    tools: declareTools(request.tools),
    system: request.system,
  });
  runtime.prefixes.set(key, prefix);
  return prefix;
}

const numbers = new WeakMap<Tool, number>();
let lastNumber = 0;

/** A tool may be replaced by another of the same name. */
function numberOf(tool: Tool): number {
  const known = numbers.get(tool);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(tool, lastNumber);
  return lastNumber;
}

/** The longest reply an agent on this model is asked for. */
export function replyLimit(
  runtime: Pick<Runtime, 'models' | 'maxOutputTokens'>,
  model: string,
  budget: Budget,
): number {
  const data = modelData(model, runtime.models);
  // A reply as long as the whole context would leave no room for anything to reply to.
  const most = Math.min(runtime.maxOutputTokens, data.maxOutput, Math.ceil(data.context / 2));
  return budget.replyLimit(data, most);
}
