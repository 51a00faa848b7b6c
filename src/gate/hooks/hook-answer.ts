/** What one hook said, in our words. */

export type HookDecision = 'allow' | 'ask' | 'deny';

export type HookMessage = {
  readonly level: 'info' | 'warning' | 'error';
  /** Which hook, as `describeHandler` names it. */
  readonly hook: string;
  readonly text: string;
};

export type HookAnswer = {
  readonly decision?: HookDecision;
  readonly reason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly context?: string;
  /** The run is to end, and why. */
  readonly stop?: string;
  readonly worktreePath?: string;
  readonly messages: readonly HookMessage[];
};
