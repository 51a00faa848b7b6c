/** An `mcp_tool` hook: a tool of a connected server is called, its text is read like what a command prints. */

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
    const said = Buffer.from(await ports.callServerTool({ server, tool, input: filled, cause }, signal));
    const stdout = new TextDecoder().decode(said.subarray(0, MOST_BYTES));
    return { kind: 'exited', code: 0, stdout, stderr: '', stdoutCut: said.length > MOST_BYTES };
  });
}

const PLACEHOLDER = /\$\{([^${}]+)\}/g;
const ONLY_PLACEHOLDER = /^\$\{([^${}]+)\}$/;

/**
 * Replaces `${tool_input.path}` in all strings, once: what is put in is not looked at again. A string that is nothing else
 * becomes the value itself, whatever its type; a field that is not there is null, and inside a longer string nothing.
 */
export function fillInput(template: unknown, fields: unknown): unknown {
  if (typeof template === 'string') {
    const whole = ONLY_PLACEHOLDER.exec(template);
    if (whole !== null) return fieldAt(fields, whole[1] ?? '') ?? null;
    return template.replace(PLACEHOLDER, (_, path: string) => wordsOf(fieldAt(fields, path)));
  }
  if (Array.isArray(template)) return template.map((one) => fillInput(one, fields));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillInput(value, fields)]));
}

/** Only what the input itself has: nothing inherited. */
function fieldAt(fields: unknown, path: string): unknown {
  return path
    .trim()
    .split('.')
    .reduce<unknown>((value, name) => {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    }, fields);
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
