/** Reads what a client requests for its session. Anything unsupported is refused, so that it never relies on it (CL-1). */

import * as z from 'zod';
import { fieldNamed } from '../../../config/definitions/definition-fields.js';
import type { SessionOptions } from '../../../engine/session-options.js';
import type { Result } from '../../../protocol/result.js';
import { clientHooks } from './client-hooks.js';
import type { ClientRequests } from './client-requests.js';
import { type ClientServers, clientServers } from './client-servers.js';
import type { RequestFields } from './requests/request-handler.js';

export type Initialize = Result<{ readonly options: SessionOptions }>;

const plugin = z.looseObject({ type: z.literal('local'), path: z.string().min(1) });
const anObject = z.record(z.string(), z.unknown());
const texts = z.array(z.string());

const fields = z.looseObject({
  systemPrompt: z.union([z.string(), texts]).nullish(),
  appendSystemPrompt: z.string().nullish(),
  agents: z.record(z.string(), anObject).nullish(),
  jsonSchema: anObject.nullish(),
  skills: texts.nullish(),
  plugins: z.array(plugin).nullish(),
  title: z.string().nullish(),
  sdkMcpServers: texts.nullish(),
});

type Fields = z.infer<typeof fields>;

/**
 * Fields that need no action: our prompt does not differ between sessions, and a resume keeps it; output and status of
 * children are always reported; dialogs other than questions are never sent.
 */
const ALWAYS_SERVED: ReadonlySet<string> = new Set([
  'subtype',
  'systemPromptSnapshot',
  'excludeDynamicSections',
  'forwardSubagentText',
  'agentProgressSummaries',
  'supportedDialogKinds',
  'perTaskStopAffordance',
  // Facts that the servers are queried for anyway.
  'sdkMcpServerManifests',
  'sdkMcpServerManifestsOrigin',
]);

const SERVED: ReadonlySet<string> = new Set([
  ...ALWAYS_SERVED,
  ...Object.keys(fields.shape),
  'hooks',
  'sdkMcpServerConfigs',
]);

export type InitializeFrom = {
  readonly client: ClientRequests;
  /** Those that run in its process. */
  readonly servers: ClientServers;
  /** The options that the command line gave. */
  readonly flags: SessionOptions;
};

export function readInitialize(request: RequestFields, { client, servers, flags }: InitializeFrom): Initialize {
  const unserved = Object.keys(request).filter((name) => !SERVED.has(name) && !isEmpty(request[name]));
  if (unserved.length > 0) return refused(`${unserved.join(', ')}: not supported in this version`);
  const read = fields.safeParse(request);
  if (!read.success) return refused(z.prettifyError(read.error).replaceAll('\n', ' '));
  const wrong = refuseAgents(read.data.agents) ?? refusePlugins(read.data.plugins);
  if (wrong !== undefined) return refused(wrong);
  const hooks = isEmpty(request.hooks) ? undefined : clientHooks(request.hooks, client);
  if (hooks?.ok === false) return refused(hooks.reason);
  const asked = clientServers(request, servers);
  if (!asked.ok) return refused(asked.reason);
  return {
    ok: true,
    options: {
      ...optionsOf(read.data, flags),
      ...(hooks === undefined ? {} : { hooks: hooks.hooks }),
      ...(isEmpty(asked.servers) ? {} : { mcpServers: asked.servers }),
    },
  };
}

function optionsOf(given: Fields, flags: SessionOptions): SessionOptions {
  const { appendSystemPrompt, agents, jsonSchema, skills, plugins, title } = given;
  const pluginDirs = [...(flags.pluginDirs ?? []), ...(plugins ?? []).map(({ path }) => path)];
  return {
    ...systemPromptOf(given),
    ...(appendSystemPrompt ? { appendSystemPrompt } : {}),
    ...(isEmpty(agents) ? {} : { agents: { ...agentsOf(flags), ...agents } }),
    ...(jsonSchema == null ? {} : { outputSchema: jsonSchema }),
    ...(skills == null ? {} : { onlySkills: skills }),
    ...(pluginDirs.length === 0 ? {} : { pluginDirs }),
    ...(title == null || title.trim() === '' ? {} : { name: title }),
  };
}

/** Marks the end of the parts that every session shares; not sent to the model. */
const BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

function systemPromptOf({ systemPrompt }: Fields): Pick<SessionOptions, 'systemPrompt'> {
  if (systemPrompt == null) return {};
  const parts = typeof systemPrompt === 'string' ? [systemPrompt] : systemPrompt;
  return { systemPrompt: parts.filter((part) => part.trim() !== '' && part !== BOUNDARY).join('\n\n') };
}

/** Agents of the command line are JSON, checked there. */
function agentsOf({ agents }: SessionOptions): object {
  return typeof agents === 'string' ? (JSON.parse(agents) as object) : ((agents as object | undefined) ?? {});
}

/** Refuses unsupported fields. */
function refuseAgents(agents: Fields['agents']): string | undefined {
  for (const [name, definition] of Object.entries(agents ?? {})) {
    const field = Object.keys(definition).find(
      (key) => key !== 'prompt' && fieldNamed(key) === undefined && !isEmpty(definition[key]),
    );
    if (field !== undefined) return `agents.${name}.${field}: not supported in this version`;
  }
  return undefined;
}

function refusePlugins(plugins: Fields['plugins']): string | undefined {
  for (const given of plugins ?? []) {
    const field = Object.keys(given).find((key) => key !== 'type' && key !== 'path' && !isEmpty(given[key]));
    if (field !== undefined) return `plugins (${given.path}) ${field}: not supported in this version`;
  }
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return value == null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}

function refused(reason: string): Initialize {
  return { ok: false, reason: `initialize: ${reason}` };
}
