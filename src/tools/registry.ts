/** The built-in tools, lookup by name, and the declarations the model gets. */

import { bashTool } from './bash/bash.js';
import { editTool } from './edit/edit.js';
import { writeTool } from './edit/write.js';
import { nearestNames } from './nearest-names.js';
import { notebookEditTool } from './notebook/notebook-edit.js';
import { readTool } from './read/read.js';
import { globTool } from './search/glob.js';
import { grepTool } from './search/grep.js';
import { todoWriteTool } from './todo/todo-write.js';
import type { Tool, ToolDeclaration } from './tool.js';
import { webFetchTool } from './web/web-fetch.js';

/** The order is part of the frozen prefix: new tools go to the end. */
export const BUILT_IN_TOOLS: readonly Tool[] = [
  bashTool,
  readTool,
  writeTool,
  editTool,
  notebookEditTool,
  globTool,
  grepTool,
  todoWriteTool,
  webFetchTool,
];

/** Finds a tool by name, then by alias. Case matters: rules and hooks distinguish `Read` from `read`. */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name));
}

/** The text for a model that called an unknown tool. */
export function unknownTool(name: string, tools: readonly Tool[]): string {
  // An earlier part of the conversation, or a fork's prefix, may have declared it.
  if (name === 'StructuredOutput') return 'No structured output is asked for here. Answer in text.';
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  );
  const hint =
    near.length === 0 ? `Available: ${tools.map((tool) => tool.name).join(', ')}.` : `Nearest: ${near.join(', ')}.`;
  return `There is no tool "${name}". ${hint}`;
}

/** Declares built-in tools in their own order, then the others sorted by name. */
export function declareTools(tools: readonly Tool[]): readonly ToolDeclaration[] {
  return [...tools]
    .sort(inStableOrder)
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

function inStableOrder(a: Tool, b: Tool): number {
  const rank = (tool: Tool) => {
    const index = BUILT_IN_TOOLS.findIndex((one) => one.name === tool.name);
    return index === -1 ? BUILT_IN_TOOLS.length : index;
  };
  return rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
