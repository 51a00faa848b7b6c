/** Puts the programs of approved plugins on the PATH of each process, while the plugin is as it was approved (GT-3). */

import { delimiter } from 'node:path';
import type { Plugin } from '../../config/plugins/plugin.js';
import { type Host, withEnvironment } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import { watchPlugins } from './plugin-hooks.js';

type Check = (folder: string) => boolean;

/** `folders`: of the plugins' programs, which come last: none shadows another command. */
export function withPrograms(host: Host, plugins: readonly Plugin[], folders: readonly string[]): Host {
  const { PATH } = host.env;
  const whyChanged = watchPlugins(host, plugins);
  const owners = new Map(plugins.map(({ bin, folder }) => [bin, folder]));
  const isChanged: Check = (bin) => whyChanged(owners.get(bin) ?? '') !== undefined;
  const env = { ...host.env, PATH: [PATH, ...folders].join(delimiter) };
  const onPath = withEnvironment(host, env, { variables: host.chosen?.variables ?? new Set(), folders });
  return withoutChanged(onPath, new Set(folders), isChanged);
}

function withoutChanged(host: Host, folders: ReadonlySet<string>, isChanged: Check): Host {
  const { processes } = host;
  const checked = <C extends ProcessCommand>(command: C): C => {
    const entries = command.env.PATH?.split(delimiter) ?? [];
    const left = entries.filter((entry) => !(folders.has(entry) && isChanged(entry)));
    return left.length === entries.length
      ? command
      : { ...command, env: { ...command.env, PATH: left.join(delimiter) } };
  };
  return {
    ...host,
    processes: {
      ...processes,
      start: (command) => processes.start(checked(command)),
      run: (command) => processes.run(checked(command)),
    },
    at: (folder) => withoutChanged(host.at(folder), folders, isChanged),
  };
}
