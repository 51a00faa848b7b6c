/** Applies the per-tool policy of a server's entry to the tools it lists. Pure. */

import type { ToolPolicy } from '../../config/mcp/tool-policy.js';
import type { ListedTool } from './connect/connection.js';

/** Removes denied tools; a tool that must ask is treated as if the server itself required it. */
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
