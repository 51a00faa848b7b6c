/** Lists agent types, plugins, output styles, models and the account for clients. */

import { modelInMode } from '../../agents/catalog/choose-model.js';
import { DEFAULT_STYLE } from '../../config/output-styles/output-style.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import { ALIASES, modelData } from '../../model/models.js';
import { EFFORT_LEVELS } from '../../protocol/commands.js';
import type { ListedAgents, ListedModels, ListedPlugins, ListedStyles, Signed } from '../commands/command-results.js';
import type { Engine } from '../engine.js';
import { findSessionPlugins } from '../open/find-plugins.js';
import type { AgentReport, ModelReport, PluginReport, StyleReport } from './reports.js';

export async function reportAgents({ runtime, parts }: Engine, fresh = false): Promise<ListedAgents> {
  const catalog = fresh ? (await parts.definitions.load()).catalog : runtime.catalog;
  const agents = catalog.list().map(
    ({ name, description, model, source: { scope, file, plugin } }): AgentReport => ({
      name,
      description,
      model,
      scope,
      file: scope === 'built-in' ? '' : file,
      ...(plugin === undefined ? {} : { plugin }),
    }),
  );
  return { ok: true, agents };
}

export async function reportPlugins({ runtime, parts }: Engine, fresh = false): Promise<ListedPlugins> {
  const plugins = runtime.plugins.map(reportPlugin);
  if (!fresh) return { ok: true, plugins, added: [], removed: [], warnings: [] };
  const { options, projectRoot, approvalsRoot, askedIn, readAgain } = parts.config;
  const config = await readAgain();
  if (!config.ok) return { ok: false, reason: config.reason };
  const found = await findSessionPlugins({ ...config, options, folder: askedIn, projectRoot, approvalsRoot });
  if (found.errors.length > 0) return { ok: false, reason: found.errors.join('\n') };
  const named = (list: readonly Plugin[], but: readonly Plugin[]) =>
    list.filter(({ folder }) => !but.some((one) => one.folder === folder)).map(({ name }) => name);
  const added = named(found.plugins, runtime.plugins);
  const removed = named(runtime.plugins, found.plugins);
  return { ok: true, plugins, added, removed, warnings: found.warnings };
}

function reportPlugin({ name, version, description, folder, origin, isApproved }: Plugin): PluginReport {
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    folder,
    scope: origin.scope,
    isApproved,
  };
}

export async function reportStyles({ parts, outputStyle }: Engine): Promise<ListedStyles> {
  const found = await parts.setup.style.list();
  const styles = found.map(({ name, description, source: { scope } }): StyleReport => ({ name, description, scope }));
  const usual = { name: DEFAULT_STYLE, description: 'The default, without a style', scope: 'built-in' };
  return { ok: true, now: outputStyle, styles: [usual, ...styles] };
}

export async function reportModels({ runtime: { models }, parts, mode }: Engine): Promise<ListedModels> {
  const report = (name: string, id: string): ModelReport => {
    const { context, maxOutput, thinking, prices } = modelData(id, models);
    const efforts = thinking === 'always' || thinking === 'adaptive' ? EFFORT_LEVELS : [];
    return { name, id, context, maxOutput, thinking, efforts, ...(prices === undefined ? {} : { prices }) };
  };
  const named = Object.entries({ ...ALIASES, ...models.aliases });
  const ids = Object.keys(models.models ?? {}).filter((id) => !named.some(([, one]) => one === id));
  return {
    ok: true,
    models: [
      report('default', modelInMode(parts.modelName, mode, models)),
      ...named.map(([name, id]) => report(name, id)),
      ...ids.map((id) => report(id, id)),
    ],
  };
}

export async function reportAccount({ runtime: { ports } }: Engine): Promise<Signed> {
  return { ok: true, account: ports.model.account ?? { source: 'client', endpoint: '' } };
}
