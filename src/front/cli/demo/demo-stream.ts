/** Narrates stream-json lines as lines of the demo. */

import * as z from 'zod';
import type { DemoScreen } from './demo-screen.js';

const assistantLine = z.object({
  type: z.literal('assistant'),
  parent_tool_use_id: z.string().nullable(),
  message: z.object({
    content: z.array(
      z.union([
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.looseObject({}) }),
        z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) }),
      ]),
    ),
  }),
});

export class StreamNarrator {
  readonly #screen: DemoScreen;
  /** Names by the call that started the child. */
  readonly #children = new Map<string, string>();

  constructor(screen: DemoScreen) {
    this.#screen = screen;
  }

  /** Announces the children that were killed with the process. */
  resumed(): void {
    for (const name of this.#children.values()) this.#screen.says(name, this.#screen.paint.good('resumed'));
  }

  hear(line: string): void {
    const parsed = assistantLine.safeParse(JSON.parse(line));
    if (!parsed.success) return;
    const { parent_tool_use_id: call, message } = parsed.data;
    const who = call === null ? 'main' : (this.#children.get(call) ?? 'child');
    for (const block of message.content) {
      if (block.type === 'tool_use') this.#called(who, block);
      else if (block.type === 'text') this.#spoke(who, block.text);
    }
  }

  #spoke(who: string, text: string): void {
    // Every report of a fork begins like this.
    if (text.startsWith('Scope:')) this.#screen.reports(who, text);
    else this.#screen.says(who, text);
  }

  #called(who: string, call: { readonly id: string; readonly name: string; readonly input: Record<string, unknown> }) {
    if (call.name !== 'Agent') return this.#screen.acts(who, call.name, call.input);
    const name = String(call.input.name);
    this.#children.set(call.id, name);
    this.#screen.forked(name, false);
  }
}
