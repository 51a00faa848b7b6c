/** Describes an event as one line of progress, for surfaces that show an agent from outside: a table per surface. */

import { stripControls, stripToLine } from '../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { AgentEvent } from '../../protocol/events.js';
import { wholeCount } from '../../protocol/format-numbers.js';
import { shorten } from '../../protocol/text/one-line.js';
import { describeCall } from './describe/describe-call.js';

type Lines = {
  readonly [K in AgentEvent['kind']]?: (event: Extract<AgentEvent, { readonly kind: K }>) => string | undefined;
};

const lineOf = ({ line }: { readonly line: string }) => line;
const callWithInput = ({ tool, input }: { readonly tool: string; readonly input: unknown }) =>
  `${tool} ${JSON.stringify(input)}`;

const CHILD: Lines = {
  'agent-queued': () => 'queued',
  'call-progressed': lineOf,
  'fault-met': lineOf,
  'response-discarded': lineOf,
};

const LINES = {
  /** `-p --verbose`, on stderr. */
  headless: {
    'turn-started': ({ turn }) => `turn ${turn}`,
    'call-started': (event) => shorten(`  ${stripToLine(callWithInput(event))}`, 160),
    'call-finished': ({ tool, isError, ms }) => `  ${tool} ${isError ? 'failed' : 'done'} (${ms} ms)`,
    'assistant-replied': ({ usage: { output, input, cacheRead } }) =>
      `  reply: ${wholeCount(output)} tokens out, ${wholeCount(input)} in, ${wholeCount(cacheRead)} from cache`,
  },
  /** Children of a plain session; their calls are shown like those of the main agent. */
  plain: {
    'agent-spawned': ({ type, description }) => `${stripControls(type)} started: ${stripToLine(description)}`,
    'agent-state-changed': ({ state }) => (state === 'running' ? undefined : state),
  },
  /** Children, in the editor's entry of the call that started them. */
  editor: {
    ...CHILD,
    'agent-spawned': ({ description }) => `started: ${description}`,
    'agent-state-changed': ({ state }) => (state === 'running' || state === 'waiting' ? undefined : state),
    'call-started': ({ tool, input }) => describeCall(tool, input),
  },
  /** Children, as progress of the MCP client's call that started them. */
  mcp: {
    ...CHILD,
    'agent-spawned': ({ type, description }) => `${type}: ${description}`,
    'call-started': callWithInput,
  },
} satisfies Readonly<Record<string, Lines>>;

/** Undefined for an event that the surface does not show. */
export function progressLine(surface: keyof typeof LINES, event: AgentEvent): string | undefined {
  const describe = (LINES[surface] as Lines)[event.kind] as ((event: AgentEvent) => string | undefined) | undefined;
  return describe?.(event);
}

const LONGEST = 200;

/** One line, escaped, at most 200 characters long. */
export function progressText(line: string): string {
  return shorten(escapeToLine(line), LONGEST);
}
