/** Permission modes and decisions: the words the gate speaks in. */

export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'bubble'] as const;

export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The gate's answer about one call. `by` names the rule, mode or check that decided. */
export type Decision =
  | { readonly behavior: 'allow'; readonly by: string }
  | { readonly behavior: 'ask'; readonly by: string; readonly reason: string }
  | { readonly behavior: 'deny'; readonly by: string; readonly reason: string };
