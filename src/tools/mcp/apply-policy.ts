/** What a server's entry says of single tools, applied to what the server lists. Pure. */

import type { ToolPolicy } from '../../config/mcp/tool-policy.js';
import type { ListedTool } from './connect/connection.js';

/** A denied tool is not there; one that must ask is as if the server itself had said so. */
export function applyPolicy(listed: readonly ListedTool[], policy: ToolPolicy = {}): readonly ListedTool[] {
  return listed.flatMap((tool) => {
    switch (Object.hasOwn(policy, tool.name) ? policy[tool.name] : undefined) {
      case 'deny':
        return [];
      case 'ask':
        return [{ ...tool, _meta: { ...tool._meta, 'anthropic/requiresUserInteraction': true } }];
      default:
        return [tool];
    }
  });
}
