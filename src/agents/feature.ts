/**
 * A capability that takes part in the life cycle of agents. Agents and the engine go through the session's features in
 * one fixed order (`src/features/features.ts`) and name none of them.
 */

import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import type { Requester } from '../gate/requester.js';
import type { AgentSpawned, Announcements } from '../protocol/events.js';
import type { Tool } from '../tools/tool.js';
import type { LiveAgent } from './live-agent.js';

export interface Feature {
  /** For the message shown if it can't be closed. */
  readonly name: string;
  /** Equips an agent of a definition at its start. Undefined: nothing. Never rejects. */
  equip?(request: EquipRequest): Promise<Equipment | undefined>;
  /** Called before an agent continues: the main agent with a prompt, a child with another run. */
  refresh?(agent: LiveAgent): Promise<void>;
  close(): Promise<void>;
}

export type EquipRequest = {
  readonly definition: AgentDefinition;
  /** Its tools so far. */
  readonly tools: readonly Tool[];
  /** The agent can't change anything. */
  readonly readOnly: boolean;
  /** The agent on whose behalf the user is asked; undefined: the user can't be asked yet. */
  readonly requester: Requester | undefined;
  readonly signal: AbortSignal;
};

export type Equipment = {
  /** All its tools, in the session's order. */
  readonly tools: readonly Tool[];
  /** Sections of its system prompt, after its own. */
  readonly system: readonly string[];
  /** Fields of the record of its start. */
  readonly record: Pick<AgentSpawned, 'memory'>;
  /** The announcements in its opening. */
  readonly announcements: Announcements;
  /** For the user: what it has to do without, and why. */
  readonly lines: readonly string[];
};

/** Combines the equipment from all features. */
export async function equipAgent(features: readonly Feature[], request: EquipRequest): Promise<Equipment> {
  let all: Equipment = { tools: request.tools, system: [], record: {}, announcements: {}, lines: [] };
  for (const feature of features) {
    const own = await feature.equip?.({ ...request, tools: all.tools });
    if (own === undefined) continue;
    all = {
      tools: own.tools,
      system: [...all.system, ...own.system],
      record: { ...all.record, ...own.record },
      announcements: { ...all.announcements, ...own.announcements },
      lines: [...all.lines, ...own.lines],
    };
  }
  return all;
}

export async function refreshAgent(features: readonly Feature[], agent: LiveAgent): Promise<void> {
  for (const feature of features) await feature.refresh?.(agent);
}
