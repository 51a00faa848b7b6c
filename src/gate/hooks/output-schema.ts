/** The JSON a hook may answer. Unknown fields are ignored; a known field of the wrong type is dropped and reported. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';

const hookOutputSchema = once(() => {
  const ChangedInput = z.record(z.string(), z.unknown());

  return z.object({
    // Scripts in dynamic languages send null or "" for "no decision".
    decision: z.enum(['approve', 'allow', 'block', 'deny', 'ask', '']).nullish(),
    reason: z.string().nullish(),
    continue: z.boolean().nullish(),
    stopReason: z.string().nullish(),
    systemMessage: z.string().nullish(),
    /** Accepted without effect: text around a JSON answer is never shown. */
    suppressOutput: z.boolean().nullish(),
    additionalContext: z.string().nullish(),
    hookSpecificOutput: z
      .object({
        hookEventName: z.string().nullish(),
        permissionDecision: z.enum(['allow', 'deny', 'ask', '']).nullish(),
        permissionDecisionReason: z.string().nullish(),
        updatedInput: ChangedInput.nullish(),
        additionalContext: z.string().nullish(),
        /** PermissionRequest. */
        decision: z
          .object({
            behavior: z.enum(['allow', 'deny']),
            updatedInput: ChangedInput.nullish(),
            updatedPermissions: z.array(z.unknown()).nullish(),
            message: z.string().nullish(),
            interrupt: z.boolean().nullish(),
          })
          .nullish(),
        /** WorktreeCreate. */
        worktreePath: z.string().nullish(),
        /** Elicitation, ElicitationResult. */
        action: z.enum(['accept', 'decline', 'cancel']).nullish(),
        content: ChangedInput.nullish(),
      })
      .nullish(),
  });
});

export type HookOutput = z.infer<ReturnType<typeof hookOutputSchema>>;

type CheckedOutput = {
  readonly output: HookOutput;
  /** Dropped fields, for users: `reason: expected string`. */
  readonly problems: readonly string[];
  /** True if a decision was given that we can't read: a guard must not be treated as silent then. */
  readonly decisionUnclear: boolean;
};

export function checkOutput(value: unknown): CheckedOutput {
  const checked = hookOutputSchema().safeParse(value);
  if (checked.success) return { output: checked.data, problems: [], decisionUnclear: false };
  const { issues } = checked.error;
  const rest = issues.reduce((left, issue) => leaveOut(left, issue.path), value);
  const again = hookOutputSchema().safeParse(rest);
  return {
    output: again.success ? again.data : {},
    problems: issues.map((issue) => `${issue.path.join('.') || 'the answer'}: ${issue.message}`),
    decisionUnclear: !again.success || issues.some((issue) => issue.path.some(isDecision)) || issues.some(isWhole),
  };
}

/** Includes fields that narrow a decision: a call must not run with other input than the hook gave, or in a run that it ended. */
const DECIDES: ReadonlySet<PropertyKey> = new Set([
  'decision',
  'permissionDecision',
  'action',
  'continue',
  'updatedInput',
]);

function isDecision(key: PropertyKey): boolean {
  return DECIDES.has(key);
}

/** The answer, or its whole `hookSpecificOutput`, is not an object: it may have contained a decision. */
function isWhole(issue: { readonly path: readonly PropertyKey[] }): boolean {
  return issue.path.length === 0 || (issue.path.length === 1 && issue.path[0] === 'hookSpecificOutput');
}

function leaveOut(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...deeper] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return undefined;
  // A decision without a valid behavior is dropped whole: dropping only that field would cause another error.
  if (deeper.length === 0 || key === 'decision') return { ...value, [key]: undefined };
  return { ...value, [key]: leaveOut((value as Record<PropertyKey, unknown>)[key], deeper) };
}
