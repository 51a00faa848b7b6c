/**
 * Active parts of extensions: hooks of plugins, the status line, grants of skills. Each is loaded only if there is one.
 */

import type { Catalog } from '../../agents/catalog/catalog.js';
import type { SessionSkills } from '../../agents/skills/session-skills.js';
import type { Gate } from '../../gate/gate.js';
import type { Hooks } from '../../gate/hooks/hooks.js';
import { once } from '../../protocol/once.js';
import type { PluginHooks } from '../plugins/plugin-hooks.js';
import { namesFiles } from '../skills/bound-to-files.js';
import type { SkillApprovals } from '../skills/skill-approvals.js';
import type { HookApprovals } from './hook-approvals.js';
import type { SessionConfig } from './session-config.js';

/** Loaded only if a plugin, or one of its skills, has hooks. */
export async function pluginHooks({ host, plugins }: SessionConfig): Promise<PluginHooks> {
  const own = plugins.filter(({ hooks, grants }) => hooks.length > 0 || grants.some((one) => one.hooks !== undefined));
  if (own.length === 0) return { sources: [], whyChanged: () => undefined };
  return (await import('../plugins/plugin-hooks.js')).hooksOfPlugins(host, own);
}

/** For interactive sessions only. Turning hooks off turns it off, too. */
export async function statusLineOf(config: SessionConfig, approvals: HookApprovals) {
  const { disableAllHooks, statusLine } = config.settings.settings;
  if (statusLine === undefined || disableAllHooks === true || config.options.interactive !== true) return undefined;
  return (await import('./status-line-command.js')).openStatusLine(config, approvals);
}

type SkillParts = {
  readonly gate: Gate;
  readonly hooks: Hooks;
  readonly runsHooks: boolean;
  readonly approvals: HookApprovals;
  readonly skills: SessionSkills;
  readonly recordHooks: (skill: string, what: string) => Promise<void>;
};

export function approvalsOfSkills(
  config: SessionConfig,
  { approvals, skills, ...parts }: SkillParts,
): () => Promise<SkillApprovals> {
  const opened = new Map(skills.list().map((skill) => [skill.name, skill]));
  return once(async () => {
    const { SkillApprovals } = await import('../skills/skill-approvals.js');
    const trustsOpened = config.options.trust === true;
    return new SkillApprovals({
      ...config,
      ...parts,
      opened,
      trustsOpened,
      rememberHooks: (known) => approvals.remember(known),
    });
  });
}

/** Loaded only if a definition describes a server. */
export async function approveServers({ servers }: SessionConfig, catalog: Catalog): Promise<void> {
  const own = catalog.list().filter(({ mcpServers = [] }) => mcpServers.some(({ config }) => config !== undefined));
  if (own.length === 0) return;
  const { approveForThisRun } = await import('../mcp/own-servers.js');
  await approveForThisRun(servers.question, own);
}

/**
 * `--trust` approves what exists when the session is opened. Loaded only if a skill has hooks or names its own files.
 */
export async function approveSkills(skills: SessionSkills, approvals: () => Promise<SkillApprovals>): Promise<void> {
  // A skill that depends only on its text is compared when it is used: hundreds of skills would take longer than the
  // rest of a start.
  const acting = skills.list().filter((skill) => skill.hooks !== undefined || namesFiles(skill));
  if (acting.length > 0) await (await approvals()).approveForThisRun(acting);
}
