/** Opens a session: reads what counts here, connects to the model, and wires the rooms together. */

import { resolve } from 'node:path';
import type { Runtime } from '../agents/runtime.js';
import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import { configDir, coppiceHome, isFileName, personHome, projectKey, sessionLayout } from '../config/paths.js';
import { formatProblem } from '../config/problem.js';
import { readSettings } from '../config/settings/read-settings.js';
import { openTrust } from '../config/trust.js';
import { loadInstructions } from '../context/instructions.js';
import { systemPrompt } from '../context/system-prompt.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import { DEFAULT_MODEL, modelData } from '../model/models.js';
import { reasonOf } from '../protocol/reason-of.js';
import { assembleSession } from './assemble-session.js';
import { branchSession } from './branch-session.js';
import { buildRuntime } from './build-runtime.js';
import { scheduleCleanUp } from './clean-up.js';
import { connectModel } from './connect-model.js';
import { findFolder, findRoots } from './find-folder.js';
import { findMainDefinition, stricterMode } from './main-definition.js';
import { modelInMode } from './model-in-mode.js';
import { modelOverrides } from './model-overrides.js';
import { findSession, loadResume, type Resume } from './resume.js';
import type { Session } from './session.js';
import type { OpenFailure, SessionOptions } from './session-options.js';

export type Opened = { readonly ok: true; readonly session: Session } | OpenFailure;

export async function openSession(options: SessionOptions = {}): Promise<Opened> {
  const place = await findFolder(options);
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
    return { ok: false, kind: 'settings', reason: settings.errors.map(formatProblem).join('\n') };
  }
  const env = { ...host.env, ...settings.environment };
  const working = withEnv(host, env);
  const models = modelOverrides(settings.settings.models);
  const identity = await findIdentity(options, working, folder);
  if (!identity.ok) return identity;
  const { id, resume } = identity;
  const given = options.model ?? resume?.restored.epoch?.model;
  const wanted = given ?? env.ANTHROPIC_MODEL ?? settings.settings.model ?? DEFAULT_MODEL;
  const startMode = options.permissionMode ?? settings.settings.permissions?.defaultMode ?? 'default';
  const model = modelInMode(wanted, startMode, models);
  if (options.maxUsd !== undefined && modelData(model, models).prices === undefined) {
    return { ok: false, kind: 'usage', reason: needsPrice(model) };
  }
  const mode = options.permissionMode;
  const bypassOff = settings.settings.permissions?.disableBypassPermissionsMode ?? false;
  if (mode === 'bypassPermissions' && bypassOff !== false) {
    await resume?.lock.release();
    return { ok: false, kind: 'usage', reason: BYPASS_OFF };
  }
  if (mode === 'bypassPermissions' && isRoot() && env.COPPICE_ALLOW_ROOT_BYPASS !== '1') {
    if ((settings.settings.sandbox ?? 'off') !== 'required') {
      await resume?.lock.release();
      return { ok: false, kind: 'usage', reason: ROOT_BYPASS };
    }
  }
  const layout = sessionLayout(coppiceHome(env), projectKey(folder), id);
  const [roots, client, instructions] = await Promise.all([
    findRoots(working, folder, settings),
    connectModel(options, working, settings),
    loadInstructions({
      host: working,
      folder,
      root: projectRoot,
      configDir: configDir(env),
      managedFile: '/etc/coppice/CLAUDE.md',
      home: personHome(env),
    }),
  ]);
  const failure = roots.ok ? ('ok' in client ? client : undefined) : roots;
  if (failure !== undefined || !roots.ok || 'ok' in client) {
    await resume?.lock.release();
    return failure ?? { ok: false, kind: 'state', reason: 'the session could not be opened' };
  }
  const built = await buildRuntime({
    id,
    options,
    host: working,
    folder,
    projectRoot,
    repoRoot,
    roots: roots.roots,
    trusted,
    settings,
    models,
    model,
    client,
    layout,
    instructions,
    ...(resume && options.permissionMode === undefined ? { resumedMode: resume.restored.mode } : {}),
  });
  const asAgent = options.agent === undefined ? undefined : findMainDefinition(built.runtime, options.agent);
  if (asAgent?.ok === false) {
    await resume?.lock.release();
    return asAgent;
  }
  const definition = asAgent?.definition;
  const ownModel = given === undefined && definition !== undefined && definition.model !== 'inherit';
  const modelName = ownModel ? definition.model : wanted;
  const session = assembleSession({
    id,
    resume,
    isBranch: options.branch === true,
    resumeAgents: settings.settings.resumeAgents === 'auto' || env.COPPICE_RESUME_AGENTS === 'auto',
    ...built,
    ...(asAgent === undefined ? {} : { mainTools: asAgent.tools }),
    startMode: stricterMode(definition, built.startMode),
    initialPrompt: resume === undefined ? definition?.initialPrompt : undefined,
    spawns: definition?.spawns,
    mainHooks: mainHooks(built.runtime, definition),
    cwd: folder,
    roots: roots.roots,
    modelName,
    thinks: settings.settings.alwaysThinkingEnabled ?? true,
    effort: options.effort ?? definition?.effort ?? settings.settings.effort,
    maxTurns: options.maxTurns ?? definition?.maxTurns ?? Number.POSITIVE_INFINITY,
    omitInstructions: definition?.omitClaudeMd ?? false,
    system: systemPrompt({
      ...replacedPrompt(options.systemPrompt ?? definition?.prompt),
      ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
    }),
  });
  scheduleCleanUp(built.runtime, settings.settings.cleanupPeriodDays);
  return { ok: true, session };
}

function replacedPrompt(prompt: string | undefined) {
  return prompt === undefined || prompt.trim() === '' ? {} : { replace: prompt };
}

function mainHooks(runtime: Runtime, definition: AgentDefinition | undefined): Hooks {
  if (definition?.hooks === undefined || !runtime.settings.definitionHooks) return runtime.hooks;
  return runtime.hooks.withHooks([{ origin: definition.source.file, hooks: definition.hooks }], { of: 'main' });
}

type Identity = { readonly ok: true; readonly id: string; readonly resume?: Resume } | OpenFailure;

/** A new session, one that goes on, or a new one that begins where another stands. */
async function findIdentity(options: SessionOptions, host: Host, folder: string): Promise<Identity> {
  const given = options.sessionId;
  if (given !== undefined && !isFileName(given)) {
    return { ok: false, kind: 'usage', reason: `--session-id ${given}: use letters, digits, ., _ and -` };
  }
  const layout = given === undefined ? undefined : sessionLayout(coppiceHome(host.env), projectKey(folder), given);
  if (
    layout &&
    (options.resume === undefined || options.branch) &&
    (await host.files.stat(layout.file)) !== undefined
  ) {
    return { ok: false, kind: 'usage', reason: `session ${given} exists already; choose another --session-id` };
  }
  if (options.resume === undefined) return { ok: true, id: given ?? host.newId() };
  const found = await findSession(host, folder, options.resume);
  if (!found.ok) return found;
  const id = options.branch ? (given ?? host.newId()) : found.id;
  if (options.branch) {
    const copied = await branchSession(host, folder, found.id, id);
    if (!copied.ok) return copied;
  }
  const loaded = await loadResume(host, folder, id, options.rewind);
  return loaded.ok ? { ok: true, id, resume: loaded.resume } : loaded;
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
      commandLineText: { text: `can't be read: ${reasonOf(error)}`, name: file },
    };
  }
}

function withEnv(host: Host, env: Host['env']): Host {
  return { ...host, env, at: (folder) => withEnv(host.at(folder), env) };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

const ROOT_BYPASS =
  'bypassPermissions as root would let every command do anything to this machine. Start as another user, set "sandbox": "required" in your settings, or set COPPICE_ALLOW_ROOT_BYPASS=1 if the machine is a throw-away one.';

const BYPASS_OFF =
  'bypassPermissions is switched off by permissions.disableBypassPermissionsMode in the settings (coppice config shows where). Choose another --permission-mode.';

function needsPrice(model: string): string {
  const example = `{"models": {"${model}": {"prices": {"input": 3, "output": 15}}}}`;
  return `--max-usd needs a price, and ${model} has none. Add one to your settings: ${example} (dollars per million tokens)`;
}
