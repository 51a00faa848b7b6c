/** The model a session uses in a mode. */

import { type ModelOverrides, resolveModel } from '../model/models.js';
import type { PermissionMode } from '../protocol/permission.js';

/** `opusplan` is opus while it plans, and sonnet otherwise. */
export function modelInMode(name: string, mode: PermissionMode, overrides: ModelOverrides): string {
  if (name.trim().toLowerCase() !== 'opusplan') return resolveModel(name, overrides);
  return resolveModel(mode === 'plan' ? 'opus' : 'sonnet', overrides);
}
