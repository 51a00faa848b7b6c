/** One hook: how its run came out, and what it said, in our words. */

/** Before anybody reads what it said. */
export type HookRun =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
      /** There was more on stdout than is read. */
      readonly stdoutCut: boolean;
    }
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'not started'; readonly reason: string }
  | { readonly kind: 'killed'; readonly signal: string; readonly stderr: string }
  | { readonly kind: 'threw'; readonly reason: string }
  | { readonly kind: 'timed out'; readonly seconds: number }
  | { readonly kind: 'aborted' };

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

export type HookDecision = 'allow' | 'ask' | 'deny';

export type HookMessage = {
  readonly level: 'info' | 'warning' | 'error';
  /** Which hook, as `describeHandler` names it. */
  readonly hook: string;
  readonly text: string;
};

const FROM_STRICTEST = ['deny', 'ask', 'allow'] as const;

/** Deny beats ask, ask beats allow, anything beats silence. */
export function strictest(decisions: readonly (HookDecision | undefined)[]): HookDecision | undefined {
  return FROM_STRICTEST.find((decision) => decisions.includes(decision));
}

const MOST_CHARACTERS = 10_000;

/**
 * Text of a hook that is shown or added to the conversation: at most 10,000 characters, the mark that something is
 * missing included; no character is cut in two.
 */
export function capText(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_CHARACTERS) return trimmed;
  const mark = `\n[cut: the hook wrote ${trimmed.length} characters]`;
  const kept = trimmed.slice(0, MOST_CHARACTERS - mark.length);
  return kept.replace(/[\uD800-\uDBFF]$/, '') + mark;
}
