/** Chooses the model of a named child. Forks always run on their parent's model. */

import type { Environment } from '../../host/host.js';
import { type ModelOverrides, resolveModel } from '../../model/models.js';

export type ModelQuestion = {
  readonly env: Environment;
  /** From the call. */
  readonly call: string | undefined;
  readonly definition: string;
  /** The id the parent uses now. */
  readonly parent: string;
  readonly overrides: ModelOverrides;
};

/** The first that is set: environment, call, definition, parent. */
export function chooseModel({ env, call, definition, parent, overrides }: ModelQuestion): string {
  const forced = env.COPPICE_SUBAGENT_MODEL || env.CLAUDE_CODE_SUBAGENT_MODEL;
  const request = [forced, call, definition].map((name) => name?.trim()).find(Boolean) ?? INHERIT;
  if (request.toLowerCase() === INHERIT) return parent;
  // An alias of the parent's own family means the parent's exact model: never another provider's or an older one.
  if (familyOf(parent).includes(request.toLowerCase())) return parent;
  return resolveModel(request, overrides);
}

const INHERIT = 'inherit';

/** The words of an id that name a family: `claude-opus-5-5` is of `opus`. */
function familyOf(id: string): readonly string[] {
  return id
    .toLowerCase()
    .split(/[-/.:@]/)
    .filter((word) => /^[a-z]+$/.test(word) && word !== 'claude');
}
