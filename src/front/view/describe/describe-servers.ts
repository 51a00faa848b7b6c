/** Shows the MCP servers of a project as lines, so that you see everything you approve (MC-11, GT-20). */

import { describeServer, isServerApprovable, serverApproval } from '../../../config/approvals/project-servers.js';
import type { UnapprovedServer } from '../../../config/mcp/find-unapproved-servers.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { MARGIN, showApproval } from './describe-hooks.js';

export function showServers(servers: readonly UnapprovedServer[]): readonly string[] {
  const lines: string[] = [];
  let last: string | undefined;
  for (const { server, before } of servers) {
    const place = server.agent === undefined ? server.file : `${server.file} (agent ${server.agent})`;
    if (place !== last) lines.push(`  ${visible(place)}`);
    last = place;
    if (isServerApprovable(server)) {
      lines.push(...showApproval(describeServer(server), serverApproval(server).summary, before));
    } else {
      lines.push(`${MARGIN}${visible(server.name)}`, `    ! it stays off: ${visible(server.whyNot ?? '')}`);
    }
  }
  return lines;
}
