/** Answers a client's control requests. An expected failure is an answer, never a crash. */

import { reasonOf } from '../../../protocol/reason-of.js';
import type { ControlRequest } from './client-line.js';
import type { RequestContext, RequestHandlers } from './requests/request-handler.js';
import { sessionRequests } from './requests/session-requests.js';

export type Answered = { readonly response: object } | { readonly error: string };

/** Never rejects. */
export async function answerRequest({ request }: ControlRequest, context: RequestContext): Promise<Answered> {
  const handler = (await findHandlers(request.subtype))?.[request.subtype];
  if (handler === undefined) return { error: `request "${request.subtype}" is not supported in this version` };
  try {
    return { response: await handler(request, context) };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

/** Rare requests are loaded on demand. */
async function findHandlers(subtype: string): Promise<RequestHandlers | undefined> {
  if (Object.hasOwn(sessionRequests, subtype)) return sessionRequests;
  const load = Object.hasOwn(LOADERS, subtype) ? LOADERS[subtype] : undefined;
  return load?.();
}

type Load = () => Promise<RequestHandlers>;

const loadTasks: Load = async () => (await import('./requests/task-requests.js')).taskRequests;
const loadInfo: Load = async () => (await import('./requests/info-requests.js')).infoRequests;
const loadSettings: Load = async () => (await import('./requests/settings-requests.js')).settingsRequests;
const loadReload: Load = async () => (await import('./requests/reload-requests.js')).reloadRequests;
const loadServers: Load = async () => (await import('./requests/server-requests.js')).serverRequests;
const loadFiles: Load = async () => (await import('./requests/file-requests.js')).fileRequests;

const LOADERS: Readonly<Record<string, Load>> = {
  stop_task: loadTasks,
  background_tasks: loadTasks,
  get_task_output: loadTasks,
  cancel_async_message: loadTasks,
  get_context_usage: loadInfo,
  get_session_cost: loadInfo,
  get_usage: loadInfo,
  list_models: loadInfo,
  get_status: loadInfo,
  get_binary_version: loadInfo,
  read_file: loadInfo,
  get_settings: loadSettings,
  update_settings: loadSettings,
  apply_flag_settings: loadSettings,
  list_permission_rules: loadSettings,
  set_max_thinking_tokens: loadSettings,
  rename_session: loadSettings,
  reload_skills: loadReload,
  reload_output_styles: loadReload,
  reload_plugins: loadReload,
  rewind_files: loadFiles,
  mcp_message: loadServers,
  mcp_status: loadServers,
  mcp_set_servers: loadServers,
  mcp_reconnect: loadServers,
  mcp_toggle: loadServers,
  mcp_read_resource: loadServers,
};
