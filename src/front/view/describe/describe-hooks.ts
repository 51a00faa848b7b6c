/** Shows the hooks of a project as lines, so that you see everything you approve (GT-3, GT-20). */

import {
  approvalOf,
  describeHook,
  isApprovable,
  type UnapprovedHook,
} from '../../../config/approvals/project-hooks.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';

/** Precedes every line of external text, so that none can pass for one of ours. */
export const MARGIN = '    | ';

export function showHooks(hooks: readonly UnapprovedHook[]): readonly string[] {
  const lines: string[] = [];
  let last: string | undefined;
  for (const { hook, before } of hooks) {
    const place = hook.agent === undefined ? hook.file : `${hook.file} (agent ${hook.agent})`;
    if (place !== last) lines.push(`  ${escapeToLine(place)}`);
    last = place;
    if (!isApprovable(hook)) {
      lines.push(`${MARGIN}${escapeToLine(hook.event)}`, '    ! too long to show: it stays off. Move it into a script');
      continue;
    }
    const own = describeHook(hook);
    lines.push(...showApproval(own, approvalOf(hook).summary, before));
  }
  return lines;
}

/** The whole text to approve, its unusual characters, and the versions approved earlier. */
export function showApproval(own: readonly string[], summary: string, before: readonly string[]): readonly string[] {
  const odd = oddCharacters(own.join(''));
  return [
    ...own.map((line) => `${MARGIN}${escapeToLine(line)}`),
    ...(odd === undefined ? [] : [`    ! not plain ASCII, may imitate other characters: ${odd}`]),
    ...describeBefore(summary, before),
  ];
}

const MOST_BEFORE = 2;

function describeBefore(now: string, before: readonly string[]): readonly string[] {
  if (before.includes(now)) return ['    ! same as you approved, but a file it names has changed'];
  return before.slice(0, MOST_BEFORE).map((summary) => `    ! approved before: ${escapeToLine(summary)}`);
}

/** Letters of other scripts that look like Latin ones are hard to spot otherwise. */
function oddCharacters(text: string): string | undefined {
  const odd = [...new Set([...text].filter((char) => char > '\x7f'))];
  const codes = odd
    .slice(0, 8)
    .map((char) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return odd.length === 0 ? undefined : `${codes.join(', ')}${odd.length > 8 ? ' …' : ''}`;
}
