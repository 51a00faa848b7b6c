/** The declared input types are those that the tools read. Compared by the compiler. */

import { expectTypeOf, it } from 'vitest';
import type { createAgentTool } from '../../../../src/agents/tools/agent-tool.js';
import type { createSendMessageTool } from '../../../../src/agents/tools/send-message-tool.js';
import type { ToolInputs } from '../../../../src/protocol/tools/built-in-tools.js';
import type { bashTool } from '../../../../src/tools/bash/bash.js';
import type { editTool } from '../../../../src/tools/edit/edit.js';
import type { writeTool } from '../../../../src/tools/edit/write.js';
import type { notebookEditTool } from '../../../../src/tools/notebook/notebook-edit.js';
import type { readTool } from '../../../../src/tools/read/read.js';
import type { globTool } from '../../../../src/tools/search/glob.js';
import type { grepTool } from '../../../../src/tools/search/grep.js';
import type { todoWriteTool } from '../../../../src/tools/todo/todo-write.js';
import type { Tool } from '../../../../src/tools/tool.js';
import type { webFetchTool } from '../../../../src/tools/web/web-fetch.js';

type InputOf<T> = T extends Tool<infer Input> ? Input : never;

/** True if the tool's input fits the declared one, and both have the same fields. */
type Told<Name extends keyof ToolInputs, T> = [InputOf<T>] extends [ToolInputs[Name]]
  ? [keyof ToolInputs[Name], keyof InputOf<T>] extends [keyof InputOf<T>, keyof ToolInputs[Name]]
    ? true
    : 'other fields'
  : 'another type';

it('SF-6: the input of each tool, as hooks and questions declare it, is the one that the tool reads', () => {
  expectTypeOf<Told<'Bash', typeof bashTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Read', typeof readTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Write', typeof writeTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Edit', typeof editTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'NotebookEdit', typeof notebookEditTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Glob', typeof globTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Grep', typeof grepTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'TodoWrite', typeof todoWriteTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'WebFetch', typeof webFetchTool>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'Agent', ReturnType<typeof createAgentTool>>>().toEqualTypeOf<true>();
  expectTypeOf<Told<'SendMessage', ReturnType<typeof createSendMessageTool>>>().toEqualTypeOf<true>();
});
