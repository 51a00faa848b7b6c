/** Determines the type of child that a call starts: a named definition, a fork, or general-purpose. Pure. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { DEFAULT_TYPE, FORK_TYPE, normalizeType } from '../../protocol/agent-spawned.js';
import type { Catalog } from './catalog.js';

export type RouteInput = {
  readonly subagent_type?: string | undefined;
  readonly fork?: boolean | undefined;
};

export type Route =
  | { readonly kind: 'fork' }
  | {
      readonly kind: 'named';
      readonly definition: AgentDefinition;
      /** A fork was requested, but forks are not available here. */
      readonly fellBack: boolean;
    }
  | { readonly kind: 'unknown'; readonly asked: string };

export function routeCall(input: RouteInput, catalog: Catalog, forkAvailable: boolean): Route {
  const requested = input.subagent_type?.trim() || undefined;
  const means = requested !== undefined && normalizeType(requested) === FORK_TYPE;
  const wantsFork = input.fork === true || means;
  if (wantsFork && forkAvailable) return { kind: 'fork' };
  const type = requested === undefined || means ? DEFAULT_TYPE : requested;
  const definition = catalog.find(type);
  return definition === undefined
    ? { kind: 'unknown', asked: type }
    : { kind: 'named', definition, fellBack: wantsFork };
}

/** The type that rules and lists see, before the catalog is consulted. */
export function declaredType(input: RouteInput, forkAvailable: boolean): string {
  const requested = input.subagent_type?.trim();
  const wantsFork = input.fork === true || (requested !== undefined && normalizeType(requested) === FORK_TYPE);
  if (wantsFork && forkAvailable) return FORK_TYPE;
  return requested === undefined || requested === '' || normalizeType(requested) === FORK_TYPE
    ? DEFAULT_TYPE
    : requested;
}
