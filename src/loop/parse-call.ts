/** Parses a model's call with its tool, including the effects it declares. */

import type { GatedCall } from '../gate/gate.js';
import type { Permitted } from '../gate/sandbox/confine-permitted.js';
import { failed, type ToolOutcome } from '../protocol/outcome.js';
import { reasonOf } from '../protocol/reason-of.js';
import { restoreTags } from '../protocol/tags.js';
import { pathContextOf } from '../tools/path-context.js';
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
      /** The run ends successfully with this text. */
      readonly conclusion?: string;
      /** The model's mistake, shown to the user. */
      readonly fault?: { readonly fault: string; readonly line: string };
    };

/**
 * Parses the input. A model's input may contain escaped quotations of what it saw; hooks and the user see it unescaped.
 */
export function parseCall(
  run: Run,
  { use, unusable, tool: own }: Call,
  rawInput: unknown,
  given?: 'by the model',
): Parsed {
  if (unusable !== undefined) {
    const fault = { fault: 'unusable-call', line: `the model sent an invalid ${use.name} call; it was not run` };
    return { kind: 'immediate', outcome: failed(unusable), fault };
  }
  const resolved = own ? { ok: true as const, tool: own, raw: use.input } : resolveTool(run.agent.epoch.tools, use);
  if (resolved === undefined) {
    const fault = { fault: 'unknown-tool', line: `the model called an unknown tool: ${use.name}` };
    return { kind: 'immediate', outcome: failed(unknownTool(use.name, run.agent.epoch.tools)), fault };
  }
  if (!resolved.ok) return { kind: 'immediate', outcome: failed(resolved.reason) };
  const { tool } = resolved;
  try {
    // Hooks and the user saw, and changed, the input of the forwarded tool.
    const read = tool.parse(given === 'by the model' ? resolved.raw : rawInput);
    if (!read.ok) return { kind: 'immediate', outcome: failed(read.reason) };
    const input = given === 'by the model' ? restoreQuoted(tool, withoutForeign(tool, read.input)) : read.input;
    const actions = tool.declare(input, pathContextOf(run.agent), run.agent.id);
    return { kind: 'parsed', tool, input, call: { id: use.id, tool: tool.name, input, actions } };
  } catch (error) {
    // Tools may be third-party code. Without a declaration the call does not run.
    return { kind: 'immediate', outcome: toolCrashed(tool, error) };
  }
}

/** Removes fields that only hooks and the user may set. */
function withoutForeign({ notByModel = [] }: Tool, input: unknown): unknown {
  if (notByModel.length === 0 || typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !notByModel.includes(key)));
}

/** Resolves a call that its tool only forwards. Undefined: no such tool. */
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

export function toolCrashed(tool: Tool, error: unknown): ToolOutcome {
  return failed(`${tool.name} broke down: ${reasonOf(error)}`);
}

/** Restores quotations in a model's input: it may copy text that was escaped when it was shown (GT-31). */
export function restoreQuoted({ quotes = [] }: Pick<Tool, 'quotes'>, input: unknown): unknown {
  if (quotes === 'all') return restoreAll(input);
  if (quotes.length === 0 || typeof input !== 'object' || input === null) return input;
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
    return [key, typeof value === 'string' && quotes.includes(key) ? restoreTags(value) : value];
  });
  return Object.fromEntries(entries);
}

function restoreAll(value: unknown): unknown {
  if (typeof value === 'string') return restoreTags(value);
  if (Array.isArray(value)) return value.map(restoreAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [restoreTags(key), restoreAll(part)]));
}
