/** What a session came to, added up from its events: turns, usage by model, money, denials. Over all agents. */

import { costOf, type ModelOverrides, modelData } from '../../model/models.js';
import type { SessionEvent } from '../../protocol/events.js';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/usage.js';

export type Denial = { readonly tool_name: string; readonly tool_use_id: string; readonly tool_input: unknown };

export class Tally {
  turns = 0;
  readonly usageByModel = new Map<string, Usage>();
  readonly denials: Denial[] = [];
  readonly #inputs = new Map<string, unknown>();

  readonly watch = ({ event }: SessionEvent): void => {
    switch (event.kind) {
      case 'turn-started':
        this.turns += 1;
        return;
      case 'assistant-replied':
      case 'history-compacted':
      case 'response-discarded':
        if (!event.model || event.usage === undefined) return;
        this.usageByModel.set(event.model, addUsage(this.usageByModel.get(event.model) ?? NO_USAGE, event.usage));
        return;
      case 'call-started':
        this.#inputs.set(event.call, event.input);
        return;
      case 'call-finished':
        this.#inputs.delete(event.call);
        return;
      case 'permission-answered':
        if (event.behavior === 'deny') {
          const tool_input = this.#inputs.get(event.call) ?? {};
          this.denials.push({ tool_name: event.tool, tool_use_id: event.call, tool_input });
        }
        return;
      default:
        return;
    }
  };

  get usage(): Usage {
    return [...this.usageByModel.values()].reduce(addUsage, NO_USAGE);
  }

  /** Models without a price count for nothing. */
  cost(overrides: ModelOverrides = {}): number {
    let cost = 0;
    for (const [model, usage] of this.usageByModel) cost += costOf(usage, modelData(model, overrides)) ?? 0;
    return cost;
  }
}
