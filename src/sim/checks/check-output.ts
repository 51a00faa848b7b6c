/** Checks the effort and task budget of a request, and the beta features of its header. */

import { isObject, type JsonObject } from '../json-value.js';
import { firstProblem, invalid, type Problem } from './problem.js';

const EFFORTS: readonly unknown[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const FIELDS: readonly string[] = ['effort', 'format', 'task_budget'];
const BUDGET_FIELDS: readonly string[] = ['type', 'total', 'remaining'];
const TASK_BUDGETS = /^task-budgets-/;

/** `betas`: the names in the header; undefined if it is unknown. */
export function checkOutput(body: JsonObject, betas: readonly string[] | undefined): Problem | undefined {
  const config = body.output_config;
  if (config === undefined || config === null) return undefined;
  if (!isObject(config)) return invalid('output_config: Input should be a valid dictionary or object');
  const knowsBudgets = betas === undefined || betas.some((name) => TASK_BUDGETS.test(name));
  const fields = knowsBudgets ? FIELDS : FIELDS.filter((name) => name !== 'task_budget');
  const unknown = Object.keys(config).find((name) => !fields.includes(name));
  if (unknown !== undefined) return invalid(`output_config.${unknown}: Extra inputs are not permitted`);
  if (config.effort !== undefined && !EFFORTS.includes(config.effort)) {
    return invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
  }
  return config.task_budget === undefined ? undefined : checkTaskBudget(config.task_budget);
}

function checkTaskBudget(budget: unknown): Problem | undefined {
  const at = 'output_config.task_budget';
  if (!isObject(budget)) return invalid(`${at}: Input should be a valid dictionary or object`);
  if (budget.type !== 'tokens') return invalid(`${at}.type: Input should be 'tokens'`);
  if (budget.total === undefined) return invalid(`${at}.total: Field required`);
  const unknown = Object.keys(budget).find((name) => !BUDGET_FIELDS.includes(name));
  if (unknown !== undefined) return invalid(`${at}.${unknown}: Extra inputs are not permitted`);
  return firstProblem(['total', 'remaining'], (name) => {
    const value = budget[name];
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value > 0)) return undefined;
    return invalid(`${at}.${name}: Input should be a valid integer greater than 0`);
  });
}

/** Every beta feature has a date. */
const BETA = /^[a-z0-9-]+-\d{4}-?\d{2}-?\d{2}$/;

export function betasIn(headers: Readonly<Record<string, string>>): readonly string[] {
  const names = (headers['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

export function checkBetas(betas: readonly string[]): Problem | undefined {
  const unknown = betas.filter((name) => !BETA.test(name));
  if (unknown.length === 0) return undefined;
  const names = unknown.map((name) => `\`${name}\``).join(', ');
  return invalid(`Unexpected value(s) ${names} for the \`anthropic-beta\` header.`);
}
