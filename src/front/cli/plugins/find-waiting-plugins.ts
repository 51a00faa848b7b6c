/** Finds the plugins that wait for the person's approval. Loads what it needs only if there may be any. */

import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { mayHavePlugins, pluginsQuery } from '../../../engine/open/find-plugins.js';
import type { Host } from '../../../host/host.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';

export type WaitingPlugins = {
  /** Of the person. */
  readonly own: readonly ReviewedPlugin[];
  /** Which the project proposes. */
  readonly proposed: readonly ReviewedPlugin[];
  /** Approved before, and loaded as soon as the folder is trusted. */
  readonly untrusted: readonly string[];
};

type WaitingQuestion = {
  readonly host: Host;
  readonly flags: Flags;
  readonly folder: string;
  readonly projectRoot: string;
  readonly isTrusted: boolean;
  readonly settings: Parameters<typeof pluginsQuery>[0]['settings'];
};

const NONE: WaitingPlugins = { own: [], proposed: [], untrusted: [] };

export async function findWaitingPlugins(question: WaitingQuestion): Promise<WaitingPlugins> {
  const { host, flags, folder, projectRoot, isTrusted, settings } = question;
  const place = { host, folder, projectRoot, approvalsRoot: projectRoot, trusted: true };
  const options = optionsFromFlags(flags);
  const q = pluginsQuery({ ...place, settings, options });
  if (!mayHavePlugins(q) && flags.settings === undefined) return NONE;
  const [{ findPlugins }, { reviewPlugins }, { readConfig }] = await Promise.all([
    import('../../../config/plugins/find-plugins.js'),
    import('../../../config/plugins/plugin-approval.js'),
    import('../../../engine/open/read-config.js'),
  ]);
  // With all flags: they may name plugins too.
  const config = await readConfig({ ...options, trust: true }, host, projectRoot);
  // What is wrong with the settings, or with a flag, is told when the session opens.
  if (!config.ok) return NONE;
  const whole = pluginsQuery({ ...place, host: config.host, settings: config.settings, options });
  const reviewed = await reviewPlugins(whole, (await findPlugins(whole)).plugins);
  // About one that can't be approved there is a line when the session opens.
  const waiting = reviewed.filter((one) => one.isWaiting && one.whyNot === undefined);
  return {
    own: waiting.filter((one) => !one.isProposed),
    proposed: waiting.filter((one) => one.isProposed),
    untrusted: isTrusted ? [] : reviewed.flatMap((one) => (one.isProposed && one.isApproved ? [one.read.name] : [])),
  };
}
