/**
 * Shows what agents do in the call that started them: a head with their usage so far, then the last lines. Their own calls
 * are lines there; only a call that asks the user becomes a separate one (`session-updates.ts`).
 */

import { escapeToLine } from '../../protocol/escape-controls.js';
import type { SessionEvent } from '../../protocol/events.js';
import { plural, shortCount } from '../../protocol/format-numbers.js';
import { inputTokens } from '../../protocol/usage.js';
import type { AgentView } from '../view/agent-view.js';
import { progressLine, progressText } from '../view/progress-line.js';
import { RootCalls } from '../view/root-calls.js';

const MOST_LINES = 12;

export class ChildProgress {
  readonly #rootCalls = new RootCalls();
  /** Keyed by call of the main agent. */
  readonly #lines = new Map<string, string[]>();

  /** The call of the main agent that a child works for. */
  callOf(agent: string): string | undefined {
    return this.#rootCalls.of(agent);
  }

  /** The text to show in that call, if this event changes it. `agent`: its state after the event. */
  take({ agent: id, event }: SessionEvent, agent: AgentView | undefined): string | undefined {
    this.#rootCalls.take(id, event);
    const call = this.callOf(id);
    const line = call === undefined ? undefined : progressLine('editor', event);
    if (call === undefined || line === undefined) return undefined;
    const lines = [...(this.#lines.get(call) ?? []), progressText(line)].slice(-MOST_LINES);
    this.#lines.set(call, lines);
    return [head(agent), ...lines.map((one) => `- ${one}`)].join('\n');
  }
}

function head(agent: AgentView | undefined): string {
  if (agent === undefined) return '';
  const tokens = inputTokens(agent.usage) + agent.usage.output;
  const name = agent.name === undefined ? agent.type : `${agent.name} (${agent.type})`;
  return `**${escapeToLine(name)}** · ${agent.status} · ${plural(agent.toolUses, 'call')} · ${shortCount(tokens)} tokens\n`;
}
