/** Requests about settings, rules, thinking and the session's name. */

import type { ThinkingChoice } from '../../../../protocol/commands.js';
import { isObject } from '../../../../protocol/json/json-values.js';
import type { PermissionMode } from '../../../../protocol/permission.js';
import { must } from '../session-facts.js';
import { recordIn, textIn, wrong } from './read-fields.js';
import { type RequestContext, type RequestHandlers, RequestRefused } from './request-handler.js';

/** Names that the clients use. */
const SOURCES = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
} as const;

export const settingsRequests: RequestHandlers = {
  get_settings: async (_, { session }) => {
    const { settings } = must(await session.execute({ type: 'settings' }));
    return {
      effective: settings.effective,
      sources: settings.sources.map(({ source, settings: one }) => ({ source: SOURCES[source], settings: one })),
      applied: { model: settings.model, effort: settings.effort ?? null },
    };
  },
  update_settings: async (request, { session }) => {
    const { source } = request;
    if (source !== 'localSettings' && source !== 'userSettings') {
      throw wrong(request, 'source', '"localSettings" or "userSettings"');
    }
    const settings = recordIn(request, 'settings');
    const where = source === 'userSettings' ? 'user' : 'local';
    const { applied, later } = must(await session.execute({ type: 'change-settings', source: where, settings }));
    return { applied, next_start: later };
  },
  apply_flag_settings: async (request, context) => {
    await applyFlags(recordIn(request, 'settings'), context);
    return {};
  },
  list_permission_rules: async (_, { session }) => {
    const { rules, folders } = must(await session.execute({ type: 'permission-rules' })).rules;
    return {
      state: {
        rules: rules.map(({ behavior, rule, source }) => ({
          behavior,
          rule,
          source: source === 'flag' ? 'cliArg' : source === 'session' ? source : SOURCES[source],
          editability: EDITABILITY[source],
        })),
        workspaceDirectories: folders.map(({ path, source }) => ({
          path,
          source: source === 'flag' ? 'cliArg' : SOURCES[source],
        })),
        originalCwd: session.cwd,
        managedOnly: false,
      },
    };
  },
  set_max_thinking_tokens: async (request, { session }) => {
    must(await session.execute({ type: 'set-thinking', thinking: readThinking(request) }));
    return {};
  },
  rename_session: async (request, { session }) => {
    const requested = request.session_id;
    if (requested != null && requested !== session.id) {
      throw new RequestRefused(`rename_session: this is the session ${session.id}, not ${String(requested)}`);
    }
    must(await session.execute({ type: 'rename', name: textIn(request, 'title') }));
    return {};
  },
};

const EDITABILITY = {
  managed: 'readonly',
  flag: 'session',
  session: 'session',
  local: 'persistent',
  project: 'persistent',
  user: 'persistent',
} as const;

/** Null restores the initial setting; 0 turns thinking off. */
function readThinking(request: Parameters<typeof wrong>[0]): ThinkingChoice | null {
  const { max_thinking_tokens: tokens = null, thinking_display: display = null } = request;
  if (tokens !== null && !(Number.isSafeInteger(tokens) && Number(tokens) >= 0)) {
    throw wrong(request, 'max_thinking_tokens', 'a whole number, 0 or null');
  }
  if (display !== null && display !== 'summarized' && display !== 'omitted') {
    throw wrong(request, 'thinking_display', '"summarized", "omitted" or null');
  }
  const shown: Pick<ThinkingChoice, 'display'> = display === null ? {} : { display };
  if (tokens === null) return display === null ? null : { type: 'adaptive', ...shown };
  return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens: Number(tokens), ...shown };
}

/** Applies settings that can change while a session is open. All are checked before any is applied. */
async function applyFlags(
  settings: Readonly<Record<string, unknown>>,
  { session, startModel }: RequestContext,
): Promise<void> {
  const { model, effortLevel, effort = effortLevel, permissions, ...others } = settings;
  const { defaultMode, ...rules } = permissions === undefined ? {} : asRecord('permissions', permissions);
  const strange = [...Object.keys(others), ...Object.keys(rules).map((name) => `permissions.${name}`)];
  if (strange.length > 0) {
    throw new RequestRefused(
      `apply_flag_settings: these can't change while the session is open: ${strange.join(', ')}. Supported: model, effortLevel, permissions.defaultMode`,
    );
  }
  const named = model === null ? startModel : asText('model', model);
  const level = asText('effortLevel', effort);
  const mode = asText('permissions.defaultMode', defaultMode);
  if (mode !== undefined && !session.modes.some((one) => one === mode)) {
    throw new RequestRefused(`apply_flag_settings: permissions.defaultMode must be one of ${session.modes.join(', ')}`);
  }
  const wanted = {
    ...(named === undefined ? {} : { model: named }),
    ...(level === undefined ? {} : { effort: level }),
  };
  if (Object.keys(wanted).length > 0) must(await session.execute({ type: 'set-model', ...wanted }));
  if (mode !== undefined) must(await session.execute({ type: 'set-mode', mode: mode as PermissionMode }));
}

function asText(name: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value;
  throw new RequestRefused(`apply_flag_settings: ${name} must be a non-empty string`);
}

function asRecord(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return { ...value };
  throw new RequestRefused(`apply_flag_settings: ${name} must be an object`);
}
