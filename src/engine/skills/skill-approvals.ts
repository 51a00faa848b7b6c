/**
 * Whether what a skill allows, and what it hooks into the session, counts (EX-14). A person's own skills need no other
 * word. A project's are asked about once, bound to all of it; a plugin's were approved with the plugin.
 */

import { createHash } from 'node:crypto';
import type { SkillApproval, SkillToApprove } from '../../agents/skills/skill-approval.js';
import {
  describeHook,
  findProjectHooks,
  isApprovable,
  type ProjectHook,
} from '../../config/approvals/project-hooks.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import type { HookGroup, HooksSetting } from '../../config/settings/settings-schema.js';
import type { Skill } from '../../config/skills/skill.js';
import { type Approval, approvalHash, openTrust } from '../../config/trust.js';
import type { Gate } from '../../gate/gate.js';
import type { Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import { makeVisibleLine } from '../../protocol/make-visible.js';

export type SkillApprovalsOptions = {
  readonly host: Host;
  readonly projectRoot: string;
  readonly approvalsRoot: string;
  readonly plugins: readonly Plugin[];
  readonly gate: Gate;
  readonly hooks: Hooks;
  /** Hooks run at all. */
  readonly runsHooks: boolean;
  /** From here on a change of a file that a hook names is noticed. */
  rememberHooks(hooks: readonly ProjectHook[]): void;
  /** Resolves when it is on record that they are part of the session. */
  recordHooks(skill: string, what: string): Promise<void>;
};

type Looked = { readonly approval: Approval; readonly hooks: readonly ProjectHook[] };

export class SkillApprovals {
  readonly #options: SkillApprovalsOptions;
  /** What was answered, or approved for this run, by hash. */
  readonly #answered = new Map<string, boolean>();
  /** Skills whose hooks run, by the same. */
  readonly #hooked = new Set<string>();

  constructor(options: SkillApprovalsOptions) {
    this.#options = options;
  }

  /** With `--trust`: what is there now counts, for this run. */
  async approveForThisRun(skills: readonly Skill[]): Promise<void> {
    for (const skill of skills) {
      const { approval } = await this.#look(skill);
      this.#answered.set(approvalHash(approval), true);
    }
  }

  async approve({ agent, skill, allow, isTyped }: SkillToApprove, signal: AbortSignal): Promise<SkillApproval> {
    const { plugins, runsHooks } = this.#options;
    const warn = (line: string) => agent.emit({ kind: 'line-shown', level: 'warning', line });
    const wantsHooks = skill.hooks !== undefined && runsHooks;
    const { scope, plugin } = skill.source;
    if (scope === 'plugin') {
      const isApproved = plugins.some((one) => one.name === plugin && one.isApproved);
      if (!isApproved) await warn(`the plugin ${plugin} is not approved: ${denied(skill)} (coppice plugins approve)`);
      else if (wantsHooks) await this.#hookIn(skill, skill.source.file);
      return { tools: isApproved };
    }
    if (scope !== 'project') {
      if (wantsHooks) await this.#hookIn(skill, skill.source.file);
      return { tools: true };
    }
    const looked = await this.#look(skill);
    // Who types its name gives their word for what it allows; what runs by itself is always shown.
    const isApproved = (isTyped && !wantsHooks) || (await this.#isApproved(looked, { agent, skill, allow }, signal));
    if (!isApproved) await warn(`not approved: ${denied(skill)}`);
    else if (wantsHooks) {
      this.#options.rememberHooks(looked.hooks);
      await this.#hookIn(skill, approvalHash(looked.approval));
    }
    return { tools: isApproved || isTyped };
  }

  /**
   * For a session that is resumed: what its skills had hooked in goes on, if it is still what was approved. Nobody is asked.
   * What was to run once may have: it does not run again.
   */
  async restore(skill: Skill, what: string): Promise<boolean> {
    const { plugins, runsHooks, host, approvalsRoot } = this.#options;
    if (!runsHooks || skill.hooks === undefined) return true;
    const { scope, plugin, file } = skill.source;
    if (scope === 'plugin' && !plugins.some((one) => one.name === plugin && one.isApproved)) return false;
    if (scope === 'project') {
      const { approval, hooks } = await this.#look(skill);
      const hash = approvalHash(approval);
      if (hash !== what || !hooks.every(isApprovable)) return false;
      const known = this.#answered.get(hash) ?? (await openTrust(host).approvals(approvalsRoot)).has(approval);
      if (!known) return false;
      this.#options.rememberHooks(hooks);
    } else if (file !== what) return false;
    this.#add({ ...skill, hooks: withoutOnce(skill.hooks) }, what);
    return true;
  }

  async #hookIn(skill: Skill, key: string): Promise<void> {
    if (this.#hooked.has(key)) return;
    await this.#options.recordHooks(skill.name, key);
    this.#add(skill, key);
  }

  #add({ source, hooks }: Skill, key: string): void {
    if (this.#hooked.has(key)) return;
    this.#hooked.add(key);
    const isOwn = source.scope !== 'project' && source.scope !== 'plugin';
    this.#options.hooks.add([{ origin: source.file, hooks, isOwn }]);
  }

  async #look(skill: Skill): Promise<Looked> {
    const { host, projectRoot } = this.#options;
    const { name, source, allowedTools, prompt } = skill;
    const found = skill.hooks === undefined ? [] : [{ name: `skill ${name}`, hooks: skill.hooks, source }];
    const hooks = await findProjectHooks({ host, projectRoot, hooks: [], definitions: found });
    const text = createHash('sha256').update(prompt).digest('hex');
    const files = hooks.map((hook) => hook.files);
    const value = { file: source.file, allowedTools, hooks: skill.hooks, files, text };
    const summary = [...allowedTools, ...hooks.map(({ event }) => event)].join(', ');
    return { approval: { kind: 'skill', name: source.file, value, summary }, hooks };
  }

  async #isApproved(
    { approval, hooks }: Looked,
    { agent, skill, allow }: Omit<SkillToApprove, 'isTyped'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { host, approvalsRoot, gate } = this.#options;
    if (!hooks.every(isApprovable)) return false;
    const hash = approvalHash(approval);
    const known = this.#answered.get(hash);
    if (known !== undefined) return known;
    const trust = openTrust(host);
    if ((await trust.approvals(approvalsRoot)).has(approval)) return true;
    const lines = [
      `The skill ${skill.name} (${skill.source.file}) wants, while it is followed:`,
      ...(allow.length > 0 ? [`to do without asking: ${allow.join(', ')}`] : []),
      ...(hooks.length > 0 ? ['to run by itself, for the rest of the session:'] : []),
      ...hooks.flatMap(describeHook),
    ];
    const reason = lines.map(makeVisibleLine).join('\n');
    const request = { about: 'skill-grants', reason, subject: skill.name, folder: skill.folder } as const;
    const answer = await gate.confirm(request, agent.asker, signal);
    if (answer === 'nobody') return false;
    this.#answered.set(hash, answer === 'yes');
    if (answer === 'yes') await trust.approve(approvalsRoot, [approval]);
    return answer === 'yes';
  }
}

function withoutOnce(hooks: HooksSetting): HooksSetting {
  const left = (group: HookGroup) => ({ ...group, hooks: group.hooks.filter((hook) => hook.once !== true) });
  const groups = Object.entries(hooks).map(([event, all = []]) => [event, all.map(left)]);
  return Object.fromEntries(groups);
}

function denied({ name, hooks }: Skill): string {
  return `the skill ${name} is followed without ${hooks === undefined ? 'what it allows' : 'what it allows and its hooks'}`;
}
