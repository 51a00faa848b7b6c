/** Two tools as small as they can be: one that reads, one that changes something. A test decides what they do. */

import { succeeded, type ToolOutcome } from '../../../src/protocol/outcome.js';
import type { Tool, ToolContext } from '../../../src/tools/tool.js';

type Effect = (input: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<string | ToolOutcome>;

/** Reads: runs beside its neighbours. */
export function lookTool(run: Effect = async () => 'seen', name = 'Look'): Tool {
  return smallTool(name, true, run);
}

/** Changes something: runs alone, and its intent is on record first. */
export function changeTool(run: Effect = async () => 'changed', name = 'Change'): Tool {
  return smallTool(name, false, run);
}

function smallTool(name: string, readOnly: boolean, run: Effect): Tool {
  return {
    name,
    description: `A tool for tests: ${name}.`,
    inputSchema: { type: 'object' },
    concurrent: readOnly,
    parse: (raw) =>
      isFields(raw) ? { ok: true, input: raw } : { ok: false, reason: `${name}: the input is not an object` },
    declare: () => [{ kind: 'custom', readOnly }],
    run: async (input, context) => {
      const result = await run(isFields(input) ? input : {}, context);
      return typeof result === 'string' ? succeeded(result) : result;
    },
  };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A moment that a test waits for or lets come. */
export class Moment {
  readonly #promise: Promise<void>;
  #come: () => void = () => {};

  constructor() {
    this.#promise = new Promise((resolve) => {
      this.#come = resolve;
    });
  }

  come(): void {
    this.#come();
  }

  wait(): Promise<void> {
    return this.#promise;
  }
}
