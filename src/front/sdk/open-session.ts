/** Opens a session: reads what counts here, connects to the model, and wires the rooms together. */

import { resolve } from 'node:path';
import { createGatePort } from '../../agents/gate-port.js';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { configDir, coppiceHome, isPlaceName, personHome, projectKey, sessionPlaces } from '../../config/places.js';
import { formatProblem } from '../../config/problem.js';
import { readSettings, type SettingsResult } from '../../config/settings/read-settings.js';
import { openTrust } from '../../config/trust.js';
import { describeInstructions, loadInstructions } from '../../context/instructions.js';
import { reminder } from '../../context/reminder.js';
import { systemPrompt } from '../../context/system-prompt.js';
import { createHooks } from '../../gate/hooks/hooks.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { nodeHost } from '../../host/node-host.js';
import { Budget } from '../../loop/budget.js';
import type { ModelClient } from '../../model/model-client.js';
import { DEFAULT_MODEL, modelData, resolveModel } from '../../model/models.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { Watcher } from '../../session/emit.js';
import { keepOutput, keepPrefix, outputPath } from '../../session/keep.js';
import { BUILT_IN_TOOLS } from '../../tools/registry.js';
import { VERSION } from '../version.js';
import { modelOverrides } from './model-overrides.js';
import { assembleSession, type Session } from './session.js';
import type { OpenFailure, SessionOptions } from './session-options.js';
import { createSessionRules } from './session-rules.js';

export type Opened = { readonly ok: true; readonly session: Session } | OpenFailure;

const DEFAULT_MAX_OUTPUT = 32_000;
const DEFAULT_MAX_TURNS = Number.POSITIVE_INFINITY;

export async function openSession(options: SessionOptions = {}): Promise<Opened> {
  const place = await findPlace(options);
  if (!place.ok) return place;
  const { host, folder, repoRoot } = place;
  const projectRoot = repoRoot ?? folder;
  const trusted = options.trust === true || (await openTrust(host).isTrusted(folder));
  const settings = await readSettings({
    host,
    cwd: folder,
    projectRoot,
    env: host.env,
    trusted,
    commandLine: flagSettings(options),
    ...(await settingsText(host, options)),
    ...(options.settingSources ? { sources: options.settingSources } : {}),
  });
  if (settings.errors.length > 0) {
    return { ok: false, kind: 'settings', message: settings.errors.map(formatProblem).join('\n') };
  }
  const env = { ...host.env, ...settings.environment };
  const working: Host = withEnv(host, env);
  const models = modelOverrides(settings.settings.models);
  const model = resolveModel(options.model ?? env.ANTHROPIC_MODEL ?? settings.settings.model ?? DEFAULT_MODEL, models);
  if (options.maxUsd !== undefined && modelData(model, models).prices === undefined) {
    return {
      ok: false,
      kind: 'usage',
      message: `--max-usd needs a price, and ${model} has none. Add one to your settings: {"models": {"${model}": {"prices": {"input": 3, "output": 15}}}} (dollars per million tokens)`,
    };
  }
  const roots = await findRoots(working, folder, settings);
  if (!roots.ok) return roots;
  const [client, instructions] = await Promise.all([
    connect(options, working, settings),
    loadInstructions({
      host: working,
      folder,
      root: projectRoot,
      configDir: configDir(env),
      managedFile: '/etc/coppice/CLAUDE.md',
      home: personHome(env),
    }),
  ]);
  if ('ok' in client) return client;

  const id = options.sessionId ?? host.newId();
  if (!isPlaceName(id))
    return { ok: false, kind: 'usage', message: `--session-id ${id}: use letters, digits, ., _ and -` };
  const places = sessionPlaces(coppiceHome(env), projectKey(folder), id);
  if ((await host.files.stat(places.file)) !== undefined) {
    return { ok: false, kind: 'usage', message: `session ${id} exists already; choose another --session-id` };
  }
  const watchers = new Set<Watcher>(options.onEvent ? [options.onEvent] : []);
  const warnings = [...settings.warnings.map(formatProblem), ...instructions.warnings];
  const warn = (line: string) => warnings.push(line);
  let mode: PermissionMode = options.permissionMode ?? settings.settings.permissions?.defaultMode ?? 'default';
  const rules = createSessionRules({ host: working, folder, projectRoot, sources: settings.rules, warn });
  const hooks = createHooks({
    host: working,
    projectDir: projectRoot,
    sources: [
      ...settings.hooks.map(({ event, group, origin }) => ({ origin: origin.file, hooks: { [event]: [group] } })),
      ...(options.hooks ? [{ origin: 'library', hooks: options.hooks }] : []),
    ],
    base: () => ({ session_id: id, transcript_path: places.file, cwd: folder, permission_mode: mode }),
    warn,
  });
  const session = assembleSession({
    id,
    crew: {
      host: working,
      places,
      hooks,
      watchers,
      budget: new Budget(options),
      models,
      cacheLifetime: settings.settings.cacheLifetime ?? '5m',
      maxOutputTokens: settings.settings.maxOutputTokens ?? DEFAULT_MAX_OUTPUT,
      ports: {
        model: client,
        gate: createGatePort({
          rules,
          home: personHome(env),
          trusted,
          readRoots: [places.toolResults],
          ask: options.onPermission,
        }),
        keepPrefix: (prefix) => keepPrefix(working, places, prefix),
        keepOutput: (name, content) => keepOutput(working, places, name, content),
        outputPath: (name) => outputPath(working, places, name),
        instructionsFor: async (_agent, path) => {
          const files = await instructions.forFile(path);
          return files.length > 0 ? reminder(describeInstructions(files)) : undefined;
        },
      },
    },
    cwd: folder,
    repoRoot,
    roots: roots.roots,
    model,
    thinks: settings.settings.alwaysThinkingEnabled ?? true,
    effort: options.effort ?? settings.settings.effort,
    mode,
    maxTurns: options.maxTurns ?? DEFAULT_MAX_TURNS,
    system: systemPrompt({
      ...(options.systemPrompt === undefined ? {} : { replace: options.systemPrompt }),
      ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
    }),
    tools: [...BUILT_IN_TOOLS, ...(options.tools ?? [])],
    instructions,
    warnings,
    onMode: (next) => {
      mode = next;
    },
  });
  return { ok: true, session };
}

type FoundPlace =
  | { readonly ok: true; readonly host: Host; readonly folder: string; readonly repoRoot: string | undefined }
  | OpenFailure;

async function findPlace(options: SessionOptions): Promise<FoundPlace> {
  const asked = resolve(options.cwd ?? process.cwd());
  const machine = options.host ?? nodeHost(asked, options.env);
  try {
    const folder = await machine.files.realpath(asked);
    if ((await machine.files.stat(folder))?.kind !== 'folder') {
      return { ok: false, kind: 'folder', message: `${asked} is not a folder` };
    }
    return { ok: true, host: machine.at(folder), folder, repoRoot: await findRepoRoot(machine, folder) };
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
    return { ok: false, kind: 'folder', message: `can't work in ${asked}: ${why}` };
  }
}

/** What flags say, in the shape of a settings file, so that they merge by the same rules. */
function flagSettings(options: SessionOptions): object {
  return {
    permissions: {
      ...(options.allowedTools ? { allow: options.allowedTools } : {}),
      ...(options.disallowedTools ? { deny: options.disallowedTools } : {}),
      ...(options.addDirs ? { additionalDirectories: options.addDirs } : {}),
    },
  };
}

async function settingsText(host: Host, { settings }: SessionOptions) {
  if (settings === undefined) return {};
  if (settings.trimStart().startsWith('{')) return { commandLineText: { text: settings, name: '--settings' } };
  const file = resolve(host.folder, settings);
  try {
    return { commandLineText: { text: (await host.files.read(file)).toString('utf8'), name: file } };
  } catch (error) {
    // Text that is no settings object makes the reader report the file by name.
    return {
      commandLineText: { text: `can't be read: ${error instanceof Error ? error.message : error}`, name: file },
    };
  }
}

type FoundRoots = { readonly ok: true; readonly roots: readonly string[] } | OpenFailure;

async function findRoots(host: Host, folder: string, settings: SettingsResult): Promise<FoundRoots> {
  const roots = [folder];
  for (const { path, origin } of settings.additionalDirectories) {
    try {
      const real = await host.files.realpath(path);
      if ((await host.files.stat(real))?.kind !== 'folder') throw new Error('it is not a folder');
      if (!roots.includes(real)) roots.push(real);
    } catch (error) {
      const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
      return { ok: false, kind: 'usage', message: `can't add the folder ${path} (${origin.file}): ${why}` };
    }
  }
  return { ok: true, roots };
}

/** The SDK is loaded here and not before. */
async function connect(
  options: SessionOptions,
  host: Host,
  { settings }: SettingsResult,
): Promise<ModelClient | OpenFailure> {
  if (options.modelClient) return options.modelClient;
  const { connectAnthropic } = await import('../../model/anthropic/connect.js');
  const connected = await connectAnthropic({
    host,
    env: host.env,
    userAgent: `coppice/${VERSION}`,
    ...(settings.apiKeyHelper === undefined ? {} : { apiKeyHelper: settings.apiKeyHelper }),
    ...(settings.stallMs === undefined ? {} : { silenceMs: settings.stallMs }),
  });
  if (connected.ok) return connected.client;
  if (connected.reason === 'no-key') return { ok: false, kind: 'no-key', message: NO_KEY };
  return { ok: false, kind: 'connection', message: connected.message };
}

function withEnv(host: Host, env: Host['env']): Host {
  return { ...host, env, at: (folder) => withEnv(host.at(folder), env) };
}

const NO_KEY = `No API key is set, so there is no model to talk to.

Set one of these and start again:
  export ANTHROPIC_API_KEY=…       a key of the Claude API
  export ANTHROPIC_AUTH_TOKEN=…    a bearer token, for a gateway
  "apiKeyHelper": "command"        in your own settings.json: a command that prints a key
With ANTHROPIC_BASE_URL you can point at any server that speaks the Messages API.

No key at hand? These run without one:
  coppice demo                     a session against the simulated model
  coppice sim                      the simulated model itself, for your own tests`;
