/** Shows plugins as lines, with all that acts by itself, so that a person can see all that they approve (EX-19, GT-20). */

import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { MARGIN, showApproval } from './describe-hooks.js';

export function showPlugins(plugins: readonly ReviewedPlugin[]): readonly string[] {
  return plugins.flatMap((plugin) => {
    const { read, origin, acts, approval, before, whyNot, isProposed } = plugin;
    const place = `  ${visible(read.folder)} (${visible(origin.file)})`;
    const title = `${read.name}${isProposed ? ', which this project proposes' : ''}`;
    if (whyNot !== undefined) return [place, `${MARGIN}${visible(title)}`, `    ! it stays off: ${visible(whyNot)}`];
    const lines = acts.length > 0 ? acts : ['nothing in it acts by itself; its agents, skills and commands are loaded'];
    return [place, ...showApproval([title, ...lines.map((line) => `  ${line}`)], approval.summary, before), ...WHOLE];
  });
}

const WHOLE = ['    and what is in its folder, as it is now'];
