/** Checks whether a session may use a mode: the same for opening it and for switching later (GT-5). */

import type { Runtime } from '../agents/runtime.js';
import { type Settings, settingOf } from '../config/settings/settings-table.js';
import type { Host } from '../host/host.js';
import { modelData } from '../model/models.js';
import type { ThinkingChoice } from '../protocol/commands.js';
import { EFFORT_LEVELS } from '../protocol/commands.js';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/permission.js';
import type { SessionOptions } from './session-options.js';

export type ModeFacts = {
  readonly host: Host;
  readonly settings: Settings;
  /** Opened in bypassPermissions, or with permission to switch to it: otherwise that mode is refused. */
  readonly allowsBypass: boolean;
};

/** The reason if it may not be in this mode. */
export function refuseMode(mode: PermissionMode, facts: ModeFacts): string | undefined {
  const reason = PERMISSION_MODES.includes(mode) ? whyNot(mode, facts) : 'it is unknown.';
  return reason && `the mode can't be ${String(mode)}: ${reason} Use one of: ${modesFor(facts).join(', ')}.`;
}

/** The modes a session can be switched to. */
export function modesFor(facts: ModeFacts): readonly PermissionMode[] {
  return PERMISSION_MODES.filter((mode) => whyNot(mode, facts) === undefined);
}

function whyNot(mode: PermissionMode, { host, settings, allowsBypass }: ModeFacts): string | undefined {
  if (mode === 'bubble') return 'it is only for child agents.';
  if (mode !== 'bypassPermissions') return undefined;
  if (settingOf(settings, 'permissions.disableBypassPermissionsMode') !== false) return BYPASS_OFF;
  if (!allowsBypass) return BYPASS_LATE;
  return mayBypass(host, settings.sandbox) ? undefined : ROOT_BYPASS;
}

function mayBypass({ platform, env }: Host, sandbox: string | undefined): boolean {
  return !platform.isRoot || env.COPPICE_ALLOW_ROOT_BYPASS === '1' || sandbox === 'required';
}

const BYPASS_OFF =
  'it is turned off by permissions.disableBypassPermissionsMode in the settings (coppice config shows where).';

const BYPASS_LATE =
  'it must be requested at the start: --permission-mode or --allow-dangerously-skip-permissions on the command line, permissionMode or allowBypass in the library.';

const ROOT_BYPASS =
  'as root it would let every command do anything to this machine. Start as another user, set "sandbox": "required" in your settings, or set COPPICE_ALLOW_ROOT_BYPASS=1 if the machine is disposable.';

export function refuseEffort(effort: string | undefined): string | undefined {
  if (effort === undefined || EFFORT_LEVELS.some((level) => level === effort)) return undefined;
  return `the effort must be one of ${EFFORT_LEVELS.join(', ')}`;
}

const TYPES: readonly unknown[] = ['adaptive', 'enabled', 'disabled'];

const DISPLAYS: readonly unknown[] = [undefined, 'summarized', 'omitted'];

/** Checks the thinking parameters of a session's model. Unknown ones are refused. */
export function refuseThinking(thinking: ThinkingChoice | undefined): string | undefined {
  if (thinking === undefined) return undefined;
  const { type, budgetTokens, display, ...rest } = thinking;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `thinking: unknown field ${unknown}`;
  if (!TYPES.includes(type)) return 'thinking: type must be adaptive, enabled or disabled';
  if (!DISPLAYS.includes(display)) return 'thinking: display must be summarized or omitted';
  if (budgetTokens === undefined || isWhole(budgetTokens)) return undefined;
  return `thinking: budget must be a whole number of tokens, not ${budgetTokens}`;
}

/** The names go into a header. */
const BETA = /^[a-z0-9][a-z0-9._-]*$/i;

/** Checks parameters before anything is opened. */
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

/**
 * Checks the models that are known from the start. A fallback from settings alone may be useless, and is not refused.
 */
export function refuseModels(runtime: Runtime, main: string, given: SessionOptions): string | undefined {
  const { budget, models, settings } = runtime;
  const { handoffCheck } = settings;
  const fallbackModel = given.fallbackModel === undefined ? undefined : runtime.fallbackModel;
  if (fallbackModel === main) {
    return `the fallback model is the session's own model, ${main}; choose another with --fallback-model`;
  }
  if (fallbackModel !== undefined && !/^[^\s,]+$/.test(fallbackModel)) {
    return `the fallback model must be one model, not ${JSON.stringify(fallbackModel)}`;
  }
  const checking = handoffCheck !== undefined && 'model' in handoffCheck ? handoffCheck.model : undefined;
  const names = [main, fallbackModel, checking].filter((name) => name !== undefined);
  return names.map((name) => budget.refusesModel(modelData(name, models))).find((reason) => reason !== undefined);
}
