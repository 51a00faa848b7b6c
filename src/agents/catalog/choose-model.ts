/** Chooses the model of a named child. Forks always use their parent's model. */

import type { Environment } from '../../host/host.js';
import { isKnownModel, type ModelOverrides, resolveModel } from '../../model/models.js';
import type { PermissionMode } from '../../protocol/permission.js';

export type ModelQuery = {
  readonly env: Environment;
  /** From the call. */
  readonly call: string | undefined;
  readonly definition: string;
  /** The id of the parent's current model. */
  readonly parent: string;
  /** The parent's current mode. */
  readonly mode: PermissionMode;
  readonly overrides: ModelOverrides;
};

/** Returns the first that is set: environment, call, definition, parent. */
export function chooseModel({ env, call, definition, parent, mode, overrides }: ModelQuery): string {
  const forced = env.COPPICE_SUBAGENT_MODEL || env.CLAUDE_CODE_SUBAGENT_MODEL;
  const requested = [forced, call, definition].map((name) => name?.trim()).find(Boolean) ?? INHERIT;
  const request = nameInMode(requested, mode);
  if (request.toLowerCase() === INHERIT) return parent;
  // An alias of the parent's own family means the parent's exact model: never another provider's, or an older one.
  if (familyOf(parent).includes(request.toLowerCase())) return parent;
  return resolveModel(request, overrides);
}

const INHERIT = 'inherit';
const OPUSPLAN = 'opusplan';

/** Resolves a model name in a mode to an id. */
export function modelInMode(name: string, mode: PermissionMode, overrides: ModelOverrides): string {
  return resolveModel(nameInMode(name, mode), overrides);
}

/** True if the name resolves to this model in any mode. */
export function canResolveTo(name: string, model: string, overrides: ModelOverrides): boolean {
  return (['plan', 'default'] as const).some((mode) => modelInMode(name, mode, overrides) === model);
}

/** True for a name without model data. It may be a gateway's own, so it is used all the same. */
export function namesUnknownModel(name: string, overrides: ModelOverrides): boolean {
  return name.trim().toLowerCase() !== INHERIT && !isKnownModel(modelInMode(name, 'default', overrides), overrides);
}

/** `opusplan` is opus while its agent plans, and sonnet otherwise. */
function nameInMode(name: string, mode: PermissionMode): string {
  if (name.trim().toLowerCase() !== OPUSPLAN) return name;
  return mode === 'plan' ? 'opus' : 'sonnet';
}

/** The parts of an id that can name a family: `claude-opus-5-5` belongs to `opus`. */
function familyOf(id: string): readonly string[] {
  return id
    .toLowerCase()
    .split(/[-/.:@]/)
    .filter((word) => /^[a-z]+$/.test(word) && word !== 'claude');
}
