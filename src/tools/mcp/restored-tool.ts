/**
 * An MCP tool as an earlier process declared it: its bytes stay in the prefix, and its server is resolved when it is
 * called.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../protocol/action.js';
import { failed } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { pathContextOf } from '../path-context.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import { type InputFields, parseFields } from '../zod-tool.js';

export function restoredTool(
  declaration: ToolDeclaration,
  /** The tool that its server offers now. */
  now: () => Tool | undefined,
  connect: (signal: AbortSignal) => Promise<void>,
): Tool<InputFields> {
  const { name } = declaration;
  const [, server = '', tool = ''] = /^mcp__(.+?)__(.*)$/s.exec(name) ?? [];
  const judged: readonly Action[] = [{ kind: 'mcp', server, tool }];
  return {
    ...declaration,
    concurrent: false,
    parse: (raw) => (now()?.parse(raw) ?? parseFields(name, raw)) as ReturnType<typeof parseFields>,
    declare: (input, at) => now()?.declare(input, at) ?? judged,
    run: async (input, context) => {
      const known = now();
      if (known !== undefined) return known.run(input, context);
      try {
        await connect(context.signal);
      } catch (error) {
        return failed(reasonOf(error));
      }
      const found = now();
      if (found === undefined) return failed(`The MCP server ${server} does not offer ${tool} any more.`);
      const read = found.parse(input);
      if (!read.ok) return failed(read.reason);
      // It was judged by its name alone: the current tool may declare more, or belong to another server.
      const isJudged = isDeepStrictEqual(found.declare(read.input, pathContextOf(context)), judged);
      if (!isJudged) return failed(`The MCP server ${server} is connected now. Call ${name} once more.`);
      return found.run(read.input, context);
    },
  };
}
