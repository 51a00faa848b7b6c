/** What a client is told of its session when it has initialized it. */

import { VERSION } from '../../../config/version.js';
import type { RequestContext } from './requests/request-handler.js';
import { accountInfo, agentInfos, modelInfos, outputStyles, slashCommands } from './session-facts.js';

export async function describeSession({ session }: RequestContext): Promise<object> {
  return {
    commands: await slashCommands(session),
    agents: await agentInfos(session),
    output_style: session.outputStyle,
    available_output_styles: await outputStyles(session),
    models: await modelInfos(session),
    account: await accountInfo(session),
    hooks_applied: true,
    hook_on_failure_supported: true,
    plugins_applied: true,
    claude_code_version: VERSION,
    pid: process.pid,
  };
}
