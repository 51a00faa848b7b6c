/** The built-in tools by name, and the closed unions over their inputs and responses, as hooks and permission questions see them. */

import type { ResultContent } from '../blocks.js';
import { agentFacts } from './agent.js';
import { listAgentsFacts, sendMessageFacts, taskOutputFacts, taskStopFacts } from './agent-tasks.js';
import { askUserQuestionFacts } from './ask-user-question.js';
import { bashFacts } from './bash.js';
import { editFacts, notebookEditFacts, writeFacts } from './edit.js';
import { exitPlanModeFacts } from './exit-plan-mode.js';
import { readFacts } from './read.js';
import { globFacts, grepFacts } from './search.js';
import { listMcpResourcesFacts, mcpCallFacts, readMcpResourceFacts, toolSearchFacts } from './server-tools.js';
import { searchListingFacts, skillFacts } from './skill.js';
import { structuredOutputFacts } from './structured-output.js';
import { todoWriteFacts } from './todo-write.js';
import type { OtherInput, ToolFacts } from './tool-facts.js';
import { webFetchFacts, webSearchFacts } from './web.js';

export const TOOL_FACTS = [
  bashFacts,
  readFacts,
  writeFacts,
  editFacts,
  notebookEditFacts,
  globFacts,
  grepFacts,
  todoWriteFacts,
  webFetchFacts,
  agentFacts,
  sendMessageFacts,
  taskOutputFacts,
  taskStopFacts,
  listAgentsFacts,
  skillFacts,
  askUserQuestionFacts,
  exitPlanModeFacts,
  webSearchFacts,
  searchListingFacts,
  structuredOutputFacts,
  toolSearchFacts,
  mcpCallFacts,
  listMcpResourcesFacts,
  readMcpResourceFacts,
] as const satisfies readonly ToolFacts[];

const BY_NAME: ReadonlyMap<string, ToolFacts> = new Map(
  TOOL_FACTS.flatMap((facts: ToolFacts) => namesIn(facts).map((name) => [name, facts] as const)),
);

/** By its name or an alias. Of a tool of a server or of an embedder no more than its name. */
export function factsOf(tool: string): ToolFacts {
  return BY_NAME.get(tool) ?? { name: tool, kind: 'other', ...serverTitle(tool) };
}

/** All names of the tool that has this one. */
export function toolNames(tool: string): readonly string[] {
  return namesIn(factsOf(tool));
}

function namesIn({ name, aliases = [] }: ToolFacts): readonly string[] {
  return [name, ...aliases];
}

/** `mcp__server__tool` is the name of a server's tool. */
function serverTitle(tool: string): Pick<ToolFacts, 'title'> {
  const [, server, own] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  return server === undefined ? {} : { title: `${server} ${own}` };
}

/** The facts of a tool that comes with the program. */
export type BuiltInFacts = (typeof TOOL_FACTS)[number];

export type BuiltInInputs = { readonly [F in BuiltInFacts as F['name']]: NonNullable<F['types']>['input'] };

/**
 * The input of each tool. An interface, so that a program can add the tools it defines:
 * `declare module 'coppice' { interface ToolInputs { Weather: { city: string } } }`.
 */
export interface ToolInputs extends BuiltInInputs {}

/** What each built-in tool answers, as PostToolUse hooks read it in `tool_response`. Existing scripts rely on these names. */
export type ToolResponses = { readonly [F in BuiltInFacts as F['name']]: NonNullable<F['types']>['response'] };

/** A tool that says nothing of it answers with the blocks of its result. */
export type ResponseOf<T> = T extends keyof ToolResponses
  ? unknown extends ToolResponses[T]
    ? readonly ResultContent[]
    : ToolResponses[T]
  : readonly ResultContent[];

/** The name of a server's tool: `mcp__server__tool`. */
export type ServerTool = `mcp__${string}`;

/** A tool and its input: `tool === 'Bash'` tells that `input.command` is there. */
export type NamedInput =
  | { readonly [T in keyof ToolInputs]: { readonly tool: T; readonly input: ToolInputs[T] } }[keyof ToolInputs]
  | { readonly tool: ServerTool; readonly input: OtherInput };

/** The input was parsed by the tool of that name, so that it has the shape that goes with it. */
export function namedInput(tool: string, input: unknown): NamedInput {
  return { tool, input } as NamedInput;
}

export type { AgentInput, AgentResponse, WorktreeResponse } from './agent.js';
export type { SendMessageInput, TaskOutputInput, TaskStopInput } from './agent-tasks.js';
export type { AskUserQuestionInput, AskUserQuestionResponse, UserQuestion } from './ask-user-question.js';
export type { BashInput, BashResponse } from './bash.js';
export type {
  EditInput,
  EditResponse,
  FileChangeResponse,
  NotebookEditInput,
  NotebookEditResponse,
  PatchHunk,
  WriteInput,
  WriteResponse,
} from './edit.js';
export type { ExitPlanModeInput, ExitPlanModeResponse } from './exit-plan-mode.js';
export type { ReadInput, ReadResponse } from './read.js';
export type { GlobInput, GlobResponse, GrepInput, GrepResponse } from './search.js';
export type {
  ListMcpResourcesInput,
  McpCallInput,
  ReadMcpResourceInput,
  ToolSearchInput,
} from './server-tools.js';
export type { SearchListingInput, SkillInput, SkillResponse } from './skill.js';
export type { TodoItem, TodoWriteInput, TodoWriteResponse } from './todo-write.js';
export type * from './tool-facts.js';
export type { WebFetchInput, WebFetchResponse, WebSearchInput, WebSearchResponse } from './web.js';
