/** What the tests of busy-client.test.ts share with those of test:long. */

import type { Rule } from '../../../../../src/sim/index.js';
import type { RawClient } from '../raw-client.js';

export const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'Here.' },
];

/** Everything that a client can ask for; what must be refused now is refused. */
export const REQUESTS: readonly (Record<string, unknown> & { readonly subtype: string })[] = [
  { subtype: 'set_permission_mode', mode: 'acceptEdits' },
  { subtype: 'set_model', model: 'haiku' },
  { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 0 },
  { subtype: 'mcp_status' },
  { subtype: 'mcp_set_servers', servers: {} },
  { subtype: 'mcp_reconnect', serverName: 'none' },
  { subtype: 'mcp_toggle', serverName: 'none', enabled: false },
  { subtype: 'mcp_read_resource', serverName: 'none', uri: 'x:y' },
  { subtype: 'rewind_files', user_message_id: '00000000-0000-4000-8000-000000000000' },
  { subtype: 'stop_task', task_id: 'none' },
  { subtype: 'background_tasks' },
  { subtype: 'get_task_output', task_id: 'none' },
  { subtype: 'cancel_async_message', message_uuid: 'none' },
  { subtype: 'get_context_usage' },
  { subtype: 'get_session_cost' },
  { subtype: 'get_usage' },
  { subtype: 'get_settings' },
  { subtype: 'get_status' },
  { subtype: 'get_binary_version' },
  { subtype: 'list_models' },
  { subtype: 'list_permission_rules' },
  { subtype: 'apply_flag_settings', settings: { model: 'haiku' } },
  { subtype: 'update_settings', source: 'userSettings', settings: { model: 'haiku' } },
  { subtype: 'rename_session', title: 'a name' },
  { subtype: 'reload_skills' },
  { subtype: 'reload_output_styles' },
  { subtype: 'reload_plugins' },
  { subtype: 'read_file', path: 'none.txt' },
];

/** All are answered although nobody has answered what waits. */
export async function askForAll(client: RawClient): Promise<void> {
  for (const request of REQUESTS) {
    client.request(request.subtype, request);
    await client.answer(request.subtype);
  }
}
