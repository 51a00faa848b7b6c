/** Reads the configuration of a folder: trust, settings with flags over them, the environment, model data. */

import { resolve } from 'node:path';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { refuseHome } from '../../config/paths.js';
import { formatProblem } from '../../config/problem.js';
import { readSettings, type SettingsResult } from '../../config/settings/read-settings.js';
import type { WantedSources } from '../../config/settings/setting-sources.js';
import type { Settings } from '../../config/settings/settings-table.js';
import { openTrust } from '../../config/trust.js';
import { refuseRules } from '../../gate/session-rules.js';
import { errorCode } from '../../host/files.js';
import { type Environment, type Host, withEnvironment } from '../../host/host.js';
import { nodeHost } from '../../host/node-host.js';
import type { ModelOverrides } from '../../model/models.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';

export type FolderConfig = {
  readonly ok: true;
  /** With the environment from settings. */
  readonly host: Host;
  /** The environment without additions of the project's settings. */
  readonly ownEnv: Environment;
  readonly trusted: boolean;
  readonly settings: SettingsResult;
  readonly models: ModelOverrides;
  /** The sources that apply; all if undefined. */
  readonly sources: WantedSources;
};

export async function readConfig(
  options: SessionOptions,
  host: Host,
  projectRoot: string,
  /** The folder whose trust applies: for a worktree, the one it was requested in. */
  trustedAs = host.folder,
): Promise<FolderConfig | OpenFailure> {
  const { folder, env } = host;
  const { settingSources: sources } = options;
  const given = await settingsText(host, options);
  if (!given.ok) return { ok: false, kind: 'settings', reason: given.reason };
  const trusted = options.trust === true || (await openTrust(host).isTrusted(trustedAs));
  const settings = await readSettings({
    host,
    cwd: folder,
    projectRoot,
    env,
    trusted,
    commandLine: flagSettings(options),
    ...(given.text === undefined ? {} : { commandLineText: given.text }),
    sources,
  });
  if (settings.errors.length > 0) {
    return { ok: false, kind: 'settings', reason: settings.errors.map(formatProblem).join('\n') };
  }
  const unsafe = refuseRules(settings.rules, { projectRoot, trusted });
  if (unsafe !== undefined) return usageFailure(unsafe);
  const models = modelOverrides(settings.settings.models);
  const whole = { ...env, ...settings.environment };
  const homeless = refuseHome(whole);
  if (homeless !== undefined) return { ok: false, kind: 'settings', reason: `"env" in the settings: ${homeless}` };
  const ownEnv = { ...env, ...settings.ownEnvironment };
  const chosen = { variables: new Set(Object.keys(settings.ownEnvironment)), folders: [] };
  return { ok: true, host: withEnvironment(host, whole, chosen), ownEnv, trusted, settings, models, sources };
}

/** The flags in the format of a settings file, so that they merge by the same rules. */
function flagSettings(options: SessionOptions): object {
  return {
    permissions: {
      ...(options.allowedTools ? { allow: options.allowedTools } : {}),
      ...(options.disallowedTools ? { deny: options.disallowedTools } : {}),
      ...(options.addDirs ? { additionalDirectories: options.addDirs } : {}),
    },
  };
}

type GivenSettings = Result<{ readonly text?: { readonly text: string; readonly name: string } }>;

async function settingsText(host: Host, { settings }: SessionOptions): Promise<GivenSettings> {
  if (settings === undefined) return { ok: true };
  if (settings.trimStart().startsWith('{')) return { ok: true, text: { text: settings, name: '--settings' } };
  const file = resolve(host.folder, settings);
  try {
    return { ok: true, text: { text: (await host.files.read(file)).toString('utf8'), name: file } };
  } catch (error) {
    return { ok: false, reason: `the settings file ${file} can't be read: ${reasonOf(error)}` };
  }
}

export type FoundFolder =
  | { readonly ok: true; readonly host: Host; readonly folder: string; readonly repoRoot: string | undefined }
  | OpenFailure;

export async function findFolder(options: SessionOptions): Promise<FoundFolder> {
  const asked = resolve(options.cwd ?? '.');
  const machine = options.host ?? nodeHost(asked, options.env);
  const homeless = refuseHome(machine.env);
  if (homeless !== undefined) return { ok: false, kind: 'state', reason: homeless };
  try {
    const folder = await machine.files.realpath(asked);
    if ((await machine.files.stat(folder))?.kind !== 'folder') {
      return { ok: false, kind: 'folder', reason: `${asked} is not a folder` };
    }
    return { ok: true, host: machine.at(folder), folder, repoRoot: await findRepoRoot(machine, folder) };
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'no such folder' : String(error);
    return { ok: false, kind: 'folder', reason: `can't work in ${asked}: ${reason}` };
  }
}

export type FoundRoots = { readonly ok: true; readonly roots: readonly string[] } | OpenFailure;

export async function findRoots(host: Host, folder: string, settings: SettingsResult): Promise<FoundRoots> {
  const roots = [folder];
  for (const { path, origin } of settings.additionalDirectories) {
    try {
      const real = await host.files.realpath(path);
      if ((await host.files.stat(real))?.kind !== 'folder') throw new Error('not a folder');
      if (!roots.includes(real)) roots.push(real);
    } catch (error) {
      const reason = errorCode(error) === 'ENOENT' ? 'no such folder' : String(error);
      return { ok: false, kind: 'usage', reason: `can't add the folder ${path} (${origin.file}): ${reason}` };
    }
  }
  return { ok: true, roots };
}

export function modelOverrides(setting: Settings['models']): ModelOverrides {
  const aliases: Record<string, string> = {};
  const models: Record<string, NonNullable<ModelOverrides['models']>[string]> = {};
  for (const [id, { aliases: names = [], prices, ...facts }] of Object.entries(setting ?? {})) {
    for (const name of names) aliases[name.toLowerCase()] = id;
    models[id] = { ...known(facts), ...(prices ? { prices: allPrices(prices) } : {}) };
  }
  return { aliases, models };
}

function known(facts: Record<string, unknown>): Record<string, unknown> {
  const names = ['context', 'maxOutput', 'cacheMinimum', 'keepsThinking'];
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

type GivenPrices = NonNullable<NonNullable<Settings['models']>[string]['prices']>;

/** Missing prices follow from the base price, as in the API's own list. */
function allPrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearch }: GivenPrices) {
  return {
    input,
    output,
    cacheRead: cacheRead ?? input / 10,
    cacheWrite5m: cacheWrite5m ?? input * 1.25,
    cacheWrite1h: cacheWrite1h ?? input * 2,
    ...(webSearch === undefined ? {} : { webSearch }),
  };
}
