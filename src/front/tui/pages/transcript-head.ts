/** What is said of an agent above its transcript. */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import { money, percent } from '../../../protocol/format-numbers.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type TranscriptHead = {
  readonly name: string;
  readonly directive: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly worktree?: string | undefined;
  readonly costUsd?: number | undefined;
  /** From 0 to 1. */
  readonly cacheShare?: number | undefined;
};

export function headRows(head: TranscriptHead, width: number, theme: Theme): string[] {
  const { name, directive, type, model, worktree, costUsd, cacheShare } = head;
  const facts = [
    type,
    model,
    worktree && `worktree ${worktree}`,
    costUsd === undefined ? undefined : money(costUsd),
    cacheShare === undefined ? undefined : `cache ${percent(cacheShare)}`,
  ];
  const line = facts.flatMap((fact) => (fact ? ` · ${stripToLine(fact)}` : [])).join('');
  return [
    clip(theme.bold(stripToLine(name)) + theme.dim(line), width),
    clip(stripToLine(directive), width),
    theme.dim('─'.repeat(Math.min(20, width))),
  ];
}
