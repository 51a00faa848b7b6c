/** Shows plugins as lines with everything that runs automatically, so that you see what you approve (EX-19, GT-20). */

import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { MARGIN, showApproval } from './describe-hooks.js';

export function showPlugins(plugins: readonly ReviewedPlugin[]): readonly string[] {
  return plugins.flatMap((plugin) => {
    const { read, origin, acts, approval, before, whyNot, isProposed } = plugin;
    const place = `  ${visible(read.folder)} (${visible(origin.file)})`;
    const title = `${read.name}${isProposed ? ' (proposed by this project)' : ''}`;
    if (whyNot !== undefined) return [place, `${MARGIN}${visible(title)}`, `    ! it stays off: ${visible(whyNot)}`];
    const lines =
      acts.length > 0 ? acts : ['nothing in it runs automatically; its agents, skills and commands are loaded'];
    return [place, ...showApproval([title, ...lines.map((line) => `  ${line}`)], approval.summary, before), ...WHOLE];
  });
}

const WHOLE = ['    and everything in its folder, as it is now'];
