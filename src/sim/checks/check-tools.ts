/** Checks tool declarations and `tool_choice`. */

import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';
import { checkSchema } from './check-schema.js';
import { checkSearchTool, SEARCH_TOOL } from './check-search.js';
import { firstProblem, invalid, type Problem } from './problem.js';

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export function checkTools(body: JsonObject): Problem | undefined {
  if (body.tools !== undefined && !Array.isArray(body.tools)) return invalid('tools: Input should be a valid list');
  return firstProblem(arrayOf(body.tools), checkTool) ?? checkNames(arrayOf(body.tools)) ?? checkChoice(body);
}

function checkTool(tool: unknown, index: number): Problem | undefined {
  if (!isObject(tool)) return invalid(`tools.${index}: Input should be a valid dictionary or object`);
  if (tool.type === SEARCH_TOOL) return checkSearchTool(tool, `tools.${index}.${SEARCH_TOOL}`);
  // Other tools that the API runs itself have their own type and no schema.
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') return undefined;
  const path = `tools.${index}.custom`;
  if (tool.name === undefined) return invalid(`${path}.name: Field required`);
  if (!TOOL_NAME.test(textOf(tool.name))) {
    return invalid(`${path}.name: String should match pattern '${TOOL_NAME.source}'`);
  }
  if (tool.description !== undefined && typeof tool.description !== 'string') {
    return invalid(`${path}.description: Input should be a valid string`);
  }
  const schema = tool.input_schema;
  if (schema === undefined) return invalid(`${path}.input_schema: Field required`);
  if (!isObject(schema)) return invalid(`${path}.input_schema: Input should be a valid dictionary`);
  if (schema.type === undefined) return invalid(`${path}.input_schema.type: Field required`);
  if (schema.type !== 'object') return invalid(`${path}.input_schema.type: Input should be 'object'`);
  return checkSchema(schema, `${path}.input_schema`);
}

function checkNames(tools: readonly unknown[]): Problem | undefined {
  const names = tools.map((tool) => (isObject(tool) ? tool.name : undefined));
  return new Set(names).size < names.length ? invalid('tools: Tool names must be unique.') : undefined;
}

function checkChoice(body: JsonObject): Problem | undefined {
  const choice = body.tool_choice;
  if (choice === undefined || choice === null) return undefined;
  const tools = arrayOf(body.tools).filter(isObject);
  if (tools.length === 0) return invalid('tool_choice may only be specified while providing tools.');
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(textOf(choice.type))) {
    return invalid("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'");
  }
  if (choice.type === 'tool' && !tools.some((tool) => tool.name === choice.name)) {
    return invalid(`Tool '${textOf(choice.name)}' not found in provided tools`);
  }
  return undefined;
}
