/** The outcome of one hook's run, and the answer read from it. */

/** The end of the run, before its output is read. */
export type HookRun =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
      /** True if stdout was longer than the limit. */
      readonly stdoutCut: boolean;
    }
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** A model's verdict. `note`: its cost, for users. */
  | { readonly kind: 'judged'; readonly ok: boolean; readonly reason: string; readonly note?: string }
  /** It gave no readable answer. */
  | { readonly kind: 'failed'; readonly reason: string; readonly note?: string }
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
  /** Set if the run must end: the reason. */
  readonly stop?: string;
  readonly worktreePath?: string;
  readonly elicited?: HookElicited;
  readonly messages: readonly HookMessage[];
};

/** A hook's answer to a server's question on the user's behalf. The content is not checked yet. */
export type HookElicited =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'cancel' };

export type HookDecision = 'allow' | 'ask' | 'deny';

export type HookMessage = {
  readonly level: 'info' | 'warning' | 'error';
  /** The hook, as named by `describeHandler`. */
  readonly hook: string;
  readonly text: string;
};

const FROM_STRICTEST = ['deny', 'ask', 'allow'] as const;

/** Deny overrides ask, ask overrides allow, and any decision overrides none. */
export function strictest(decisions: readonly (HookDecision | undefined)[]): HookDecision | undefined {
  return FROM_STRICTEST.find((decision) => decisions.includes(decision));
}

const MOST_CHARACTERS = 10_000;

/**
 * Limits a hook's text that is shown or added to the conversation to 10,000 characters, including the note that it was
 * cut. Never splits a character.
 */
export function capText(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_CHARACTERS) return trimmed;
  const mark = `\n[cut: the hook wrote ${trimmed.length} characters]`;
  const shortened = trimmed.slice(0, MOST_CHARACTERS - mark.length);
  return shortened.replace(/[\uD800-\uDBFF]$/, '') + mark;
}
