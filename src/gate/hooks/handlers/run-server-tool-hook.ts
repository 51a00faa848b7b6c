/** An `mcp_tool` hook: calls a tool of a connected server and reads its text like a command's output. */

import type { HookRun } from '../hook-answer.js';
import type { ServerToolHandler } from '../hook-config.js';
import type { HookCause, HookPorts } from '../hook-ports.js';
import { type LimitOptions, runLimited } from './run-limited.js';

type ServerToolOptions = Omit<LimitOptions, 'timeoutMs'> & {
  readonly ports: Pick<HookPorts, 'callServerTool'>;
  readonly cause: HookCause;
};

const MOST_BYTES = 1024 * 1024;

export function runServerToolHook(
  { server, tool, input, timeoutMs }: ServerToolHandler,
  hookInput: string,
  { ports, cause, ...limit }: ServerToolOptions,
): Promise<HookRun> {
  return runLimited({ ...limit, timeoutMs }, async (signal) => {
    const filled = fillInput(input, JSON.parse(hookInput)) as Readonly<Record<string, unknown>>;
    const text = Buffer.from(await ports.callServerTool({ server, tool, input: filled, cause }, signal));
    const stdout = new TextDecoder().decode(text.subarray(0, MOST_BYTES));
    return { kind: 'exited', code: 0, stdout, stderr: '', stdoutCut: text.length > MOST_BYTES };
  });
}

const PLACEHOLDER = /\$\{([^${}]+)\}/g;
const ONLY_PLACEHOLDER = /^\$\{([^${}]+)\}$/;

/**
 * Replaces `${tool_input.path}` in all strings. Inserted values are not expanded again. A string that is only a
 * placeholder becomes the value itself, of any type; a missing field becomes null, or empty text within a longer string.
 */
export function fillInput(template: unknown, fields: unknown): unknown {
  if (typeof template === 'string') {
    const whole = ONLY_PLACEHOLDER.exec(template);
    if (whole !== null) return fieldAt(fields, whole[1] ?? '') ?? null;
    return template.replace(PLACEHOLDER, (_, path: string) => textOf(fieldAt(fields, path)));
  }
  if (Array.isArray(template)) return template.map((one) => fillInput(one, fields));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillInput(value, fields)]));
}

/** Reads own properties only, nothing inherited. */
function fieldAt(fields: unknown, path: string): unknown {
  return path
    .trim()
    .split('.')
    .reduce<unknown>((value, name) => {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    }, fields);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
