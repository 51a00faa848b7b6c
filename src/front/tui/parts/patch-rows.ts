/** A git patch as rows, with colours for added and removed lines. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { wrap } from '../screen/width.js';
import type { Style, Theme } from '../theme/theme.js';
import { expandTabs } from './spans.js';

export type PatchRowsOptions = { readonly width: number; readonly theme: Theme };

export function patchRows(patch: string, { width, theme }: PatchRowsOptions): string[] {
  let isInHunk = false;
  return stripControls(patch)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('diff ')) isInHunk = false;
      if (line.startsWith('@@')) isInHunk = true;
      const style = isInHunk ? lineStyle(line, theme) : headStyle(line, theme);
      return wrap(style(expandTabs(line)), width);
    });
}

/** In the head of a file `---` and `+++` are its names, not lines. */
function headStyle(line: string, theme: Theme): Style {
  return line.startsWith('diff ') ? theme.heading : theme.dim;
}

function lineStyle(line: string, theme: Theme): Style {
  if (line.startsWith('@@')) return theme.accent;
  if (line.startsWith('+')) return theme.added;
  return line.startsWith('-') ? theme.removed : (text) => text;
}
