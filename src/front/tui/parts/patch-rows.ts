/** A patch as git writes it, in rows: what was added and removed in colours. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { wrap } from '../screen/width.js';
import type { Style, Theme } from '../theme/theme.js';
import { expandTabs } from './spans.js';

export type PatchRowsOptions = { readonly width: number; readonly theme: Theme };

export function patchRows(patch: string, { width, theme }: PatchRowsOptions): string[] {
  return stripUnsafe(patch)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(styleOf(line, theme)(expandTabs(line)), width));
}

function styleOf(line: string, theme: Theme): Style {
  if (line.startsWith('diff --git')) return theme.heading;
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('index ')) return theme.dim;
  if (line.startsWith('@@')) return theme.accent;
  if (line.startsWith('+')) return theme.added;
  return line.startsWith('-') ? theme.removed : (text) => text;
}
