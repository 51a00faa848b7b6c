/**
 * A capability that takes part in an agent's life, as agents and the engine see it: they go through the session's features
 * in one fixed order (`src/features/features.ts`) and name none of them.
 */

import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import type { Requester } from '../gate/requester.js';
import type { AgentSpawned, Announcements } from '../protocol/events.js';
import type { Tool } from '../tools/tool.js';
import type { LiveAgent } from './live-agent.js';

export interface Feature {
  /** For the line that is shown when it can't be closed. */
  readonly name: string;
  /** What an agent of a definition gets from it at its start. Undefined: nothing. Never rejects. */
  equip?(request: EquipRequest): Promise<Equipment | undefined>;
  /** Before an agent continues: the main agent with a prompt, a child with another run. */
  refresh?(agent: LiveAgent): Promise<void>;
  close(): Promise<void>;
}

export type EquipRequest = {
  readonly definition: AgentDefinition;
  /** The tools it has so far. */
  readonly tools: readonly Tool[];
  /** It can't change anything. */
  readonly readOnly: boolean;
  /** In whose name a person is asked; undefined: nobody can be asked yet. */
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
  /** What its opening announces with that. */
  readonly tells: Announcements;
  /** For people: what it goes without, and why. */
  readonly lines: readonly string[];
};

/** What an agent starts with from all features together. */
export async function equipAgent(features: readonly Feature[], request: EquipRequest): Promise<Equipment> {
  let all: Equipment = { tools: request.tools, system: [], record: {}, tells: {}, lines: [] };
  for (const feature of features) {
    const own = await feature.equip?.({ ...request, tools: all.tools });
    if (own === undefined) continue;
    all = {
      tools: own.tools,
      system: [...all.system, ...own.system],
      record: { ...all.record, ...own.record },
      tells: { ...all.tells, ...own.tells },
      lines: [...all.lines, ...own.lines],
    };
  }
  return all;
}

export async function refreshAgent(features: readonly Feature[], agent: LiveAgent): Promise<void> {
  for (const feature of features) await feature.refresh?.(agent);
}
