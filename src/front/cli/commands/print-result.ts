/** Prints the result of a subcommand; returns its exit code. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { EXIT } from '../exit-code.js';

export function print(lines: readonly string[]): number {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

export function printJson(value: object, code: number = EXIT.done): number {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  return code;
}

export function printToStderr(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${escapeToLine(line)}\n`);
}

/** `code`: a usage error if the name is unknown. */
export function fail(reason: string, { json = false, code = EXIT.error as number } = {}): number {
  if (json) return printJson({ ok: false, reason }, code);
  process.stderr.write(`error: ${escapeToLine(reason)}\n`);
  return code;
}
