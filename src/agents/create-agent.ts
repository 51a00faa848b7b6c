/** Makes an agent ready to run: its transcript, its inbox, its frozen prefix, its state. Main and children alike. */

import type { Host } from '../host/host.js';
import type { Agent, AgentPermission } from '../loop/agent.js';
import { Conversation } from '../model/conversation.js';
import { modelData, thinkingParameters } from '../model/models.js';
import { freezePrefix } from '../model/prefix.js';
import { NO_USAGE } from '../protocol/usage.js';
import { createEmit } from '../session/emit.js';
import { Inbox } from '../session/inbox.js';
import { Transcript } from '../session/transcript.js';
import { FilesRead } from '../tools/files-read.js';
import { declareTools } from '../tools/registry.js';
import type { Tool } from '../tools/tool.js';
import type { Crew } from './crew.js';

export type AgentSpec = {
  readonly id: string;
  readonly type: string;
  readonly depth: number;
  /** A full id. */
  readonly model: string;
  readonly thinks: boolean;
  readonly effort?: string;
  readonly maxTurns: number;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  readonly permission: AgentPermission;
  readonly host: Host;
  readonly roots: readonly string[];
  readonly files?: FilesRead;
  /** Where its transcript is written. */
  readonly transcript: string;
};

export type CreatedAgent = { readonly agent: Agent; readonly transcript: Transcript };

export async function createAgent(crew: Crew, spec: AgentSpec): Promise<CreatedAgent> {
  const transcript = await Transcript.open({
    host: crew.host,
    path: spec.transcript,
    onSuspect: (line) => {
      for (const watch of crew.watchers) {
        watch({ agent: spec.id, seq: undefined, event: { kind: 'line-shown', level: 'error', line } });
      }
    },
  });
  const emit = createEmit(spec.id, transcript, crew.watchers);
  const model = modelData(spec.model, crew.models);
  const prefix = freezePrefix({
    model: spec.model,
    ...thinkingParameters(model, spec.thinks, spec.effort),
    tools: declareTools(spec.tools),
    system: spec.system,
  });
  const agent: Agent = {
    id: spec.id,
    type: spec.type,
    depth: spec.depth,
    model,
    maxTokens: crew.budget.replyLimit(model, Math.min(crew.maxOutputTokens, model.maxOutput)),
    cacheLifetime: crew.cacheLifetime,
    maxTurns: spec.maxTurns,
    conversation: new Conversation(prefix),
    newEpoch: 'session-start',
    tools: spec.tools,
    permission: spec.permission,
    hooks: crew.hooks,
    inbox: new Inbox(emit),
    emit,
    host: spec.host,
    files: spec.files ?? new FilesRead(),
    shell: { cwd: spec.host.folder },
    roots: spec.roots,
    todos: { items: [] },
    callIds: new Set(),
    budget: crew.budget,
    lastRequest: { tokens: 0, messages: 0 },
    usage: NO_USAGE,
  };
  return { agent, transcript };
}
