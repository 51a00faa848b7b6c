/** What a client is told of its session when it has initialized it. */

import { ALIASES } from '../../../model/models.js';
import type { RequestContext } from './requests/request-handler.js';

export async function describeSession({ session }: RequestContext): Promise<object> {
  return {
    commands: [],
    agents: [],
    output_style: session.outputStyle,
    available_output_styles: ['default'],
    models: Object.entries(ALIASES).map(([value, id]) => ({ value, displayName: value, description: id })),
    account: {},
    hooks_applied: true,
    hook_on_failure_supported: true,
    pid: process.pid,
  };
}
