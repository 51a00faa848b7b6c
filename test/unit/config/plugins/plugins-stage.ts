/** A home, a project and plugins on disk, and the question a session would ask about them. */

import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundPlugin, findPlugins, type PluginsQuery } from '../../../../src/config/plugins/find-plugins.js';
import { type ReviewedPlugin, reviewPlugins } from '../../../../src/config/plugins/plugin-approval.js';
import { storePlugins } from '../../../../src/config/plugins/store-approvals.js';
import { readSettings } from '../../../../src/config/settings/read-settings.js';
import { makeScratch, type Scratch } from '../scratch.js';

export type AskedPlugins = Partial<Pick<PluginsQuery, 'pluginDirs' | 'trusted' | 'trustThisRun'>> & {
  /** As `--settings` gives it. */
  readonly flagSettings?: object;
};

export type PluginsStage = Scratch & {
  /** Writes files of a plugin at a path below the scratch folder; answers its folder. */
  plugin(path: string, files: Readonly<Record<string, string | object>>): string;
  question(asked?: AskedPlugins): Promise<PluginsQuery>;
  find(asked?: AskedPlugins): ReturnType<typeof findPlugins>;
  names(asked?: AskedPlugins): Promise<readonly string[]>;
  one(asked?: AskedPlugins): Promise<FoundPlugin>;
  review(asked?: AskedPlugins): Promise<readonly ReviewedPlugin[]>;
  /** What a yes to all that waits stores. */
  approveAll(asked?: AskedPlugins): Promise<void>;
};

export function setPluginsStage(): PluginsStage {
  const scratch = makeScratch();
  mkdirSync(join(scratch.project, '.git'));
  const { host, project } = scratch;
  const question = async ({ flagSettings, ...asked }: AskedPlugins = {}): Promise<PluginsQuery> => {
    const { trusted = true } = asked;
    const settings = await readSettings({
      host,
      cwd: project,
      projectRoot: project,
      env: host.env,
      trusted,
      ...(flagSettings ? { commandLineText: { text: JSON.stringify(flagSettings), name: '--settings' } } : {}),
    });
    if (settings.errors.length > 0) throw new Error(settings.errors[0]?.message);
    const place = { host, folder: project, projectRoot: project, approvalsRoot: project };
    return { ...place, pluginDirs: [], trustThisRun: false, ...asked, trusted, settings: settings.plugins };
  };
  const find = async (asked?: AskedPlugins) => findPlugins(await question(asked));
  const review = async (asked?: AskedPlugins) => {
    const q = await question(asked);
    return reviewPlugins(q, (await findPlugins(q)).plugins);
  };
  return {
    ...scratch,
    plugin: (path, files) => {
      mkdirSync(join(scratch.folder, path), { recursive: true });
      for (const [name, content] of Object.entries(files)) {
        const file = scratch.write(`${path}/${name}`, content);
        if (/(^|\/)bin\/|\.sh$/.test(name)) chmodSync(file, 0o755);
      }
      return join(scratch.folder, path);
    },
    question,
    find,
    names: async (asked) => (await find(asked)).plugins.map(({ read }) => read.name),
    one: async (asked) => {
      const { plugins, warnings, errors } = await find(asked);
      const [only] = plugins;
      if (only === undefined || plugins.length > 1) throw new Error([...errors, ...warnings, 'not one'].join('\n'));
      return only;
    },
    review,
    approveAll: async (asked) => {
      const stored = await storePlugins(
        host,
        (await review(asked)).filter((one) => one.isWaiting),
      );
      if (!stored.ok) throw new Error(stored.reason);
    },
  };
}

export const MANIFEST = '.claude-plugin/plugin.json';
export const hooksJson = (command: string, event = 'SessionStart') => ({
  hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] },
});

/** A file of a gigabyte that takes no room. */
export function writeLarge(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, 1024 ** 3);
}
