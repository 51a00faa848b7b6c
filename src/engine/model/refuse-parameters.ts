/** Whether a session can be opened or go on with these parameters of its model. What is not understood is refused. */

import type { Runtime } from '../../agents/runtime.js';
import { modelData } from '../../model/models.js';
import type { ThinkingChoice } from '../../protocol/commands.js';
import type { SessionOptions } from '../session-options.js';

const TYPES: readonly unknown[] = ['adaptive', 'enabled', 'disabled'];
const DISPLAYS: readonly unknown[] = [undefined, 'summarized', 'omitted'];

export function refuseThinking(thinking: ThinkingChoice | undefined): string | undefined {
  if (thinking === undefined) return undefined;
  const { type, budgetTokens, display, ...rest } = thinking;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `thinking: there is no field ${unknown}`;
  if (!TYPES.includes(type)) return 'thinking: its type must be adaptive, enabled or disabled';
  if (!DISPLAYS.includes(display)) return 'thinking: its display must be summarized or omitted';
  if (budgetTokens === undefined || isWhole(budgetTokens)) return undefined;
  return `thinking: its budget must be a whole number of tokens, not ${budgetTokens}`;
}

/** The names go into a header. */
const BETA = /^[a-z0-9][a-z0-9._-]*$/i;

/** What can be said before anything is opened. */
export function refuseParameters({ thinking, betas = [], taskBudget }: SessionOptions): string | undefined {
  const beta = betas.find((name) => !BETA.test(name));
  if (beta !== undefined) return `betas: ${JSON.stringify(beta)} is not the name of a beta feature`;
  if (taskBudget !== undefined && !isWhole(taskBudget)) {
    return `the task budget must be a whole number of tokens, not ${taskBudget}`;
  }
  return refuseThinking(thinking);
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** Of the models that are known from the start. A fallback that only settings name may be of no use, and is not refused. */
export function refuseModels(runtime: Runtime, main: string, given: SessionOptions): string | undefined {
  const { budget, models, settings } = runtime;
  const { handoffCheck } = settings;
  const fallbackModel = given.fallbackModel === undefined ? undefined : runtime.fallbackModel;
  if (fallbackModel === main) {
    return `the fallback model is ${main}, which is the session's own; choose another with --fallback-model`;
  }
  if (fallbackModel !== undefined && !/^[^\s,]+$/.test(fallbackModel)) {
    return `the fallback model must be one model, not ${JSON.stringify(fallbackModel)}`;
  }
  const checking = handoffCheck !== undefined && 'model' in handoffCheck ? handoffCheck.model : undefined;
  const names = [main, fallbackModel, checking].filter((name) => name !== undefined);
  return names.map((name) => budget.refusesModel(modelData(name, models))).find((reason) => reason !== undefined);
}
