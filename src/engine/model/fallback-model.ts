/** Which model a session falls back to: the option's, or the first that settings name and that is not the session's own. */

import { resolveModel } from '../../model/models.js';
import type { SessionConfig } from '../build/session-config.js';

/** The id; undefined where there is none. */
export function fallbackOf({ options, settings, models, model }: SessionConfig): string | undefined {
  if (options.fallbackModel !== undefined) return resolveModel(options.fallbackModel, models);
  const named = [settings.settings.fallbackModel ?? []].flat().map((name) => resolveModel(name, models));
  return named.find((id) => id !== resolveModel(model, models));
}
