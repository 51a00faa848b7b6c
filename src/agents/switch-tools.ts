/** Gives an agent another list of tools. A new epoch: tools come first in a request, so nothing before stays cached. */

import { type Agent, NO_REQUEST } from '../loop/agent.js';
import { Conversation } from '../model/conversation.js';
import type { Tool } from '../tools/tool.js';
import type { Runtime } from './runtime.js';
import { type PrefixRequest, prefixFor } from './start/create-agent.js';

/** Between turns only. The history stays as it is, by reference; forks that share the old one keep it. */
export function switchTools(runtime: Runtime, agent: Agent, request: PrefixRequest): void {
  const { prefix, history } = agent.conversation;
  const next = prefixFor(runtime, request);
  agent.tools = request.tools;
  if (next.sha256 === prefix.sha256) return;
  agent.conversation = new Conversation(next, history.view());
  agent.newEpoch ??= 'tools-changed';
  agent.reference = undefined;
  agent.lastRequest = NO_REQUEST;
}

/** What is new comes last; a tool of a name that is there already takes its place. */
export function withTools(tools: readonly Tool[], more: readonly Tool[]): readonly Tool[] {
  const byName = new Map(more.map((tool) => [tool.name, tool]));
  const kept = tools.map((tool) => byName.get(tool.name) ?? tool);
  const known = new Set(tools.map((tool) => tool.name));
  return [...kept, ...[...byName.values()].filter((tool) => !known.has(tool.name))];
}
