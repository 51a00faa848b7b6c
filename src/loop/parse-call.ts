/** A model's call as its tool reads it, with what it declares to do. */

import type { Permitted } from '../gate/confine/confine-permitted.js';
import type { GatedCall } from '../gate/gate.js';
import { failed, type ToolOutcome } from '../protocol/outcome.js';
import { reasonOf } from '../protocol/reason-of.js';
import { pathContextOf } from '../tools/path-context.js';
import { restoreQuoted } from '../tools/quoted-input.js';
import { findTool, unknownTool } from '../tools/registry.js';
import type { Forwarded, Tool } from '../tools/tool.js';
import type { Call, Run } from './run.js';

export type ParsedCall = {
  readonly kind: 'parsed';
  readonly tool: Tool;
  readonly input: unknown;
  readonly call: GatedCall;
  /** The real paths that were judged. */
  readonly judged?: ReadonlyMap<string, string>;
  readonly permitted?: Permitted;
};

export type Parsed =
  | ParsedCall
  | {
      readonly kind: 'immediate';
      readonly outcome: ToolOutcome;
      readonly stop?: string;
      /** The run ends well, with this as its text. */
      readonly conclusion?: string;
      /** The model's mistake, shown to the person. */
      readonly fault?: { readonly fault: string; readonly line: string };
    };

/** What a model writes may quote what it saw; a hook and the person see the input as it is. */
export function parseCall(
  run: Run,
  { use, unusable, tool: own }: Call,
  rawInput: unknown,
  given?: 'by the model',
): Parsed {
  if (unusable !== undefined) {
    const fault = { fault: 'unusable-call', line: `a call of ${use.name} came broken from the model and was not run` };
    return { kind: 'immediate', outcome: failed(unusable), fault };
  }
  const meant = own ? { ok: true as const, tool: own, raw: use.input } : resolveTool(run.agent.epoch.tools, use);
  if (meant === undefined) {
    const fault = { fault: 'unknown-tool', line: `the model called a tool that is not there: ${use.name}` };
    return { kind: 'immediate', outcome: failed(unknownTool(use.name, run.agent.epoch.tools)), fault };
  }
  if (!meant.ok) return { kind: 'immediate', outcome: failed(meant.reason) };
  const { tool } = meant;
  try {
    // Hooks and the person saw the input of the tool that is meant, and changed that.
    const read = tool.parse(given === 'by the model' ? meant.raw : rawInput);
    if (!read.ok) return { kind: 'immediate', outcome: failed(read.reason) };
    const input = given === 'by the model' ? restoreQuoted(tool, withoutForeign(tool, read.input)) : read.input;
    const actions = tool.declare(input, pathContextOf(run.agent));
    return { kind: 'parsed', tool, input, call: { id: use.id, tool: tool.name, input, actions } };
  } catch (error) {
    // Tools may be third-party code. Without a declaration the call does not run.
    return { kind: 'immediate', outcome: brokenDown(tool, error) };
  }
}

/** What only hooks and the person may say is no part of a model's input. */
function withoutForeign({ notByModel = [] }: Tool, input: unknown): unknown {
  if (notByModel.length === 0 || typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !notByModel.includes(key)));
}

/** The tool that a call means, which the one it names may only forward to. Undefined: there is no such tool. */
export function resolveTool(tools: readonly Tool[], { name, input }: Call['use']): Forwarded | undefined {
  const named = findTool(tools, name);
  try {
    if (named?.forwards !== undefined) return named.forwards(input);
    const tool = named ?? tools.map((one) => one.finds?.(name)).find((one) => one !== undefined);
    return tool && { ok: true, tool, raw: input };
  } catch (error) {
    return { ok: false, reason: `${name} broke down: ${reasonOf(error)}` };
  }
}

export function brokenDown(tool: Tool, error: unknown): ToolOutcome {
  return failed(`${tool.name} broke down: ${reasonOf(error)}`);
}
