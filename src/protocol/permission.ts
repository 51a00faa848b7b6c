/** Permission modes and decisions: the words the gate speaks in. */

export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'bubble'] as const;

export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The gate's answer about one call. `by` names the rule, mode or check that decided. */
export type Decision =
  | { readonly behavior: 'allow'; readonly by: string }
  | {
      readonly behavior: 'ask';
      readonly by: string;
      readonly reason: string;
      /** The person wants to be asked (a rule, a protected name, a way out of the sandbox): no hook's yes spares it. */
      readonly firm?: true;
    }
  | { readonly behavior: 'deny'; readonly by: string; readonly reason: string };

/** A question put to whoever can answer: who asks, what exactly, and why it is not simply allowed. */
export type PermissionQuestion = {
  readonly id: string;
  readonly agent: { readonly id: string; readonly type: string; readonly depth: number };
  readonly call: { readonly id: string; readonly tool: string; readonly input: unknown };
  readonly cwd: string;
  readonly reason: string;
  /** What it would destroy, in words; empty when nothing stands out. */
  readonly destroys: readonly string[];
  /** A rule that would cover exactly this from now on. */
  readonly suggestion?: string;
  /** How many other agents wait with the same question. */
  readonly alike?: number;
};

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: unknown;
      /** Allow the same from now on: in this session, or in the project's local settings. */
      readonly always?: 'session' | 'local';
      /** Also for the others that wait with the same question. */
      readonly together?: boolean;
    }
  | {
      readonly behavior: 'deny';
      readonly reason?: string;
      /** End the run as well. */
      readonly interrupt?: boolean;
      readonly together?: boolean;
    };

/** Must settle when the signal aborts; what it answers then is ignored. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
