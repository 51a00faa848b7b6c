/** The model a session really uses: `opusplan` is the big one while it plans, and the middle one outside of that. */

import { type ModelOverrides, resolveModel } from '../model/models.js';
import type { PermissionMode } from '../protocol/permission.js';

export function modelInMode(name: string, mode: PermissionMode, overrides: ModelOverrides): string {
  if (name.trim().toLowerCase() !== 'opusplan') return resolveModel(name, overrides);
  return resolveModel(mode === 'plan' ? 'opus' : 'sonnet', overrides);
}
