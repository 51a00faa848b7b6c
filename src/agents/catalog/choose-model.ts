/** Chooses the model of a named child. Forks always run on their parent's model. */

import type { Environment } from '../../host/host.js';
import { isKnownModel, type ModelOverrides, resolveModel } from '../../model/models.js';
import type { PermissionMode } from '../../protocol/permission.js';

export type ModelQuery = {
  readonly env: Environment;
  /** From the call. */
  readonly call: string | undefined;
  readonly definition: string;
  /** The id the parent uses now. */
  readonly parent: string;
  /** The mode the parent is in now. */
  readonly mode: PermissionMode;
  readonly overrides: ModelOverrides;
};

/** The first that is set: environment, call, definition, parent. */
export function chooseModel({ env, call, definition, parent, mode, overrides }: ModelQuery): string {
  const forced = env.COPPICE_SUBAGENT_MODEL || env.CLAUDE_CODE_SUBAGENT_MODEL;
  const asked = [forced, call, definition].map((name) => name?.trim()).find(Boolean) ?? INHERIT;
  const request = nameInMode(asked, mode);
  if (request.toLowerCase() === INHERIT) return parent;
  // An alias of the parent's own family means the parent's exact model: never another provider's or an older one.
  if (familyOf(parent).includes(request.toLowerCase())) return parent;
  return resolveModel(request, overrides);
}

const INHERIT = 'inherit';
const OPUSPLAN = 'opusplan';

/** The model a name means in a mode, as an id. */
export function modelInMode(name: string, mode: PermissionMode, overrides: ModelOverrides): string {
  return resolveModel(nameInMode(name, mode), overrides);
}

/** Whether it is this model that a name means, in one mode or another. */
export function mayMean(name: string, model: string, overrides: ModelOverrides): boolean {
  return (['plan', 'default'] as const).some((mode) => modelInMode(name, mode, overrides) === model);
}

/** Whether a definition names a model of which nothing is known. It may be a gateway's own, so it is used all the same. */
export function namesUnknownModel(name: string, overrides: ModelOverrides): boolean {
  return name.trim().toLowerCase() !== INHERIT && !isKnownModel(modelInMode(name, 'default', overrides), overrides);
}

/** `opusplan` is opus while its agent plans, and sonnet otherwise. */
function nameInMode(name: string, mode: PermissionMode): string {
  if (name.trim().toLowerCase() !== OPUSPLAN) return name;
  return mode === 'plan' ? 'opus' : 'sonnet';
}

/** The words of an id that name a family: `claude-opus-5-5` is of `opus`. */
function familyOf(id: string): readonly string[] {
  return id
    .toLowerCase()
    .split(/[-/.:@]/)
    .filter((word) => /^[a-z]+$/.test(word) && word !== 'claude');
}
