/**
 * What agents do, shown in the call that started them: a head with what it used so far, then its last lines. Their own calls
 * are lines there, not calls of their own: only one that asks the person becomes one (`session-updates.ts`).
 */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { type AgentEvent, MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import { inputTokens } from '../../protocol/usage.js';
import type { AgentView } from '../view/agent-view.js';
import { describeCall } from '../view/describe/describe-call.js';

const MOST_LINES = 12;
const LONGEST_LINE = 200;

type Child = { readonly call: string; readonly lines: string[] };

export class ChildProgress {
  /** By agent: the main agent's call it works for, itself or through those above it. */
  readonly #children = new Map<string, Child>();

  /** The call of the main agent that a child works for. */
  callOf(agent: string): string | undefined {
    return this.#children.get(agent)?.call;
  }

  /** The text to show in that call, if this event changes it. `agent`: as it is after the event. */
  take({ agent: id, event }: SessionEvent, agent: AgentView | undefined): string | undefined {
    this.#adopt(id, event);
    const child = this.#children.get(id);
    if (child === undefined || id === MAIN_AGENT) return undefined;
    const line = describe(event);
    if (line === undefined) return undefined;
    child.lines.push(shorten(line));
    if (child.lines.length > MOST_LINES) child.lines.splice(0, child.lines.length - MOST_LINES);
    return [head(agent), ...child.lines.map((one) => `- ${one}`)].join('\n');
  }

  #adopt(agent: string, event: AgentEvent): void {
    if (event.kind === 'agent-spawned' || event.kind === 'agent-resumed') {
      const above = event.parent === MAIN_AGENT ? undefined : this.#children.get(event.parent);
      this.#children.set(agent, above ?? { call: event.call, lines: [] });
    }
    // One that has ended before goes on for another call.
    if (event.kind === 'agent-state-changed' && event.call !== undefined && event.state === 'running')
      this.#children.set(agent, { call: event.call, lines: [] });
  }
}

function head(agent: AgentView | undefined): string {
  if (agent === undefined) return '';
  const tokens = inputTokens(agent.usage) + agent.usage.output;
  const name = agent.name === undefined ? agent.type : `${agent.name} (${agent.type})`;
  return `**${escapeToLine(name)}** · ${agent.status} · ${agent.toolUses} calls · ${tokens} tokens\n`;
}

function describe(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'agent-spawned':
      return `starts: ${event.description}`;
    case 'agent-queued':
      return 'waits for a free place';
    case 'agent-state-changed':
      return event.state === 'running' || event.state === 'waiting' ? undefined : event.state;
    case 'call-started':
      return describeCall(event.tool, event.input);
    case 'call-progressed':
    case 'fault-met':
    case 'response-discarded':
      return event.line;
    default:
      return undefined;
  }
}

function shorten(line: string): string {
  const one = escapeToLine(line);
  return one.length > LONGEST_LINE ? `${one.slice(0, LONGEST_LINE - 1).toWellFormed()}…` : one;
}
