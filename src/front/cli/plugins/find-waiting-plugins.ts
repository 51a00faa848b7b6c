/** Finds the plugins that wait for approval. Loads code only if there may be any. */

import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { mayHavePlugins, pluginsQuery } from '../../../engine/open/find-plugins.js';
import type { Host } from '../../../host/host.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';

export type WaitingPlugins = {
  /** Of the user. */
  readonly own: readonly ReviewedPlugin[];
  /** Proposed by the project. */
  readonly proposed: readonly ReviewedPlugin[];
  /** Already approved; they are loaded as soon as the folder is trusted. */
  readonly untrusted: readonly string[];
};

type WaitingPluginsQuery = {
  readonly host: Host;
  readonly flags: Flags;
  readonly folder: string;
  readonly projectRoot: string;
  readonly isTrusted: boolean;
  readonly settings: Parameters<typeof pluginsQuery>[0]['settings'];
};

const NONE: WaitingPlugins = { own: [], proposed: [], untrusted: [] };

export async function findWaitingPlugins(query: WaitingPluginsQuery): Promise<WaitingPlugins> {
  const { host, flags, folder, projectRoot, isTrusted, settings } = query;
  const place = { host, folder, projectRoot, approvalsRoot: projectRoot, trusted: true };
  const options = optionsFromFlags(flags);
  const q = pluginsQuery({ ...place, settings, options });
  if (!mayHavePlugins(q) && flags.settings === undefined) return NONE;
  const [{ findPlugins }, { reviewPlugins }, { readConfig }] = await Promise.all([
    import('../../../config/plugins/find-plugins.js'),
    import('../../../config/plugins/plugin-approval.js'),
    import('../../../engine/open/read-config.js'),
  ]);
  // Flags are included: they may name plugins, too.
  const config = await readConfig({ ...options, trust: true }, host, projectRoot);
  // Problems of the settings or of a flag are reported when the session opens.
  if (!config.ok) return NONE;
  const whole = pluginsQuery({ ...place, host: config.host, settings: config.settings, options });
  const reviewed = await reviewPlugins(whole, (await findPlugins(whole)).plugins);
  // A plugin that can't be approved is reported when the session opens.
  const waiting = reviewed.filter((one) => one.isWaiting && one.whyNot === undefined);
  return {
    own: waiting.filter((one) => !one.isProposed),
    proposed: waiting.filter((one) => one.isProposed),
    untrusted: isTrusted ? [] : reviewed.flatMap((one) => (one.isProposed && one.isApproved ? [one.read.name] : [])),
  };
}
