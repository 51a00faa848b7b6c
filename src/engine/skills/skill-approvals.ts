/**
 * Decides whether a skill's permissions and hooks are active (EX-14). Your own skills need no approval. A project's are
 * asked about once, bound to all of their content; a plugin's were approved with the plugin.
 */

import { createHash } from 'node:crypto';
import type { SkillApproval, SkillToApprove } from '../../agents/skills/skill-approval.js';
import {
  describeHook,
  findProjectHooks,
  isApprovable,
  type ProjectHook,
} from '../../config/approvals/project-hooks.js';
import { isWithin } from '../../config/path-within.js';
import { isGrantShown } from '../../config/plugins/granted-tools.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import { whyPluginChanged } from '../../config/plugins/plugin-approval.js';
import { hashFolder } from '../../config/plugins/plugin-hash.js';
import type { HookGroup, HooksSetting } from '../../config/settings/setting-shapes.js';
import type { Skill } from '../../config/skills/skill.js';
import { type Approval, approvalHash, openTrust } from '../../config/trust.js';
import type { Gate } from '../../gate/gate.js';
import type { HookSource } from '../../gate/hooks/hook-config.js';
import type { Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { Result } from '../../protocol/result.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import { hookSourceOf } from '../plugins/plugin-hooks.js';
import { grantedFiles, namesFiles, namesOwnFiles } from './bound-to-files.js';

export type SkillApprovalsOptions = {
  readonly host: Host;
  readonly projectRoot: string;
  readonly approvalsRoot: string;
  readonly plugins: readonly Plugin[];
  /** The folders of the session: agents may have written what is in them. */
  readonly roots: readonly string[];
  /** As they were when the session was opened, by name. */
  readonly opened: ReadonlyMap<string, Skill>;
  /** With `--trust`: what they allowed then is active for this run. */
  readonly trustsOpened: boolean;
  readonly gate: Gate;
  readonly hooks: Hooks;
  /** True unless hooks are off. */
  readonly runsHooks: boolean;
  /** Notices changes of files that a hook names from now on. */
  rememberHooks(hooks: readonly ProjectHook[]): void;
  /** Resolves when they are recorded as part of the session. */
  recordHooks(skill: string, what: string): Promise<void>;
};

type PluginFound = Result<{ readonly plugin: Plugin }>;

type Inspected = {
  readonly approval: Approval;
  readonly hooks: readonly ProjectHook[];
  /** Not everything it would run can be inspected: a yes is for this session only. */
  readonly isUnbound: boolean;
};

export class SkillApprovals {
  readonly #options: SkillApprovalsOptions;
  /** Answers, and approvals for this run, by hash. */
  readonly #answered = new Map<string, boolean>();
  /** Skills whose hooks run, by hash. */
  readonly #hooked = new Set<string>();

  constructor(options: SkillApprovalsOptions) {
    this.#options = options;
  }

  /** With `--trust`: approves current skills for this run, if they run files next to their own. */
  async approveForThisRun(skills: readonly Skill[]): Promise<void> {
    for (const skill of skills) {
      const { approval } = await this.#inspect(skill);
      this.#answered.set(approvalHash(approval), true);
    }
  }

  async approve({ agent, skill, allow, isTyped }: SkillToApprove, signal: AbortSignal): Promise<SkillApproval> {
    const { runsHooks } = this.#options;
    const warn = (line: string) => agent.emit({ kind: 'line-shown', level: 'warning', line });
    const wantsHooks = skill.hooks !== undefined && runsHooks;
    const { scope, file } = skill.source;
    if (scope === 'plugin') {
      const found = this.#pluginOf(skill);
      if (!found.ok) await warn(`${found.reason}: ${denied(skill)}`);
      else if (wantsHooks) await this.#hookIn(skill, file, hookSourceOf(found.plugin, file, skill.hooks));
      return { tools: found.ok };
    }
    if (scope !== 'project' && !(await this.#isLinkedIn(file))) {
      if (wantsHooks) await this.#hookIn(skill, file, { origin: file, hooks: skill.hooks, isOwn: true });
      return { tools: true };
    }
    const inspected = await this.#inspect(skill);
    // Typing its name permits what it allowed when the session was opened; hooks are always shown.
    const isTypedYes = isTyped && (await this.#isAsOpened(skill, inspected));
    const isApproved =
      (isTypedYes && !wantsHooks) || (await this.#isApproved(inspected, { agent, skill, allow }, signal));
    if (!isApproved) await warn(`not approved: ${denied(skill)}`);
    else if (wantsHooks) {
      this.#options.rememberHooks(inspected.hooks);
      await this.#hookIn(skill, approvalHash(inspected.approval), { origin: file, hooks: skill.hooks });
    }
    return { tools: isApproved || isTypedYes };
  }

  /** Your own, but by a link its file is among what agents work on. */
  async #isLinkedIn(file: string): Promise<boolean> {
    const { host, projectRoot, roots } = this.#options;
    const real = await host.files.realpath(file).catch(() => undefined);
    return real === undefined || (real !== file && [projectRoot, ...roots].some((root) => isWithin(root, real)));
  }

  async #isAsOpened(skill: Skill, { approval }: Inspected): Promise<boolean> {
    const before = this.#options.opened.get(skill.name);
    if (before === skill) return true;
    return before !== undefined && approvalHash((await this.#inspect(before)).approval) === approvalHash(approval);
  }

  /**
   * For a resumed session: hooks of its skills continue, if they are still as approved. Nobody is asked. A one-time
   * hook may have run, so it does not run again.
   */
  async restore(skill: Skill, what: string): Promise<boolean> {
    if (!this.#options.runsHooks || skill.hooks === undefined) return true;
    const source = await this.#restorable({ ...skill, hooks: withoutOnce(skill.hooks) }, skill, what);
    if (source !== undefined) this.#add(what, source);
    return source !== undefined;
  }

  /** `left`: with the hooks that are still to run. */
  async #restorable(left: Skill, skill: Skill, what: string): Promise<HookSource | undefined> {
    const { host, approvalsRoot } = this.#options;
    const { scope, file } = skill.source;
    const { hooks } = left;
    if (scope === 'plugin') {
      const found = this.#pluginOf(skill);
      return found.ok && file === what ? hookSourceOf(found.plugin, file, hooks) : undefined;
    }
    if (scope !== 'project' && !(await this.#isLinkedIn(file)))
      return file === what ? { origin: file, hooks, isOwn: true } : undefined;
    const inspected = await this.#inspect(skill);
    const hash = approvalHash(inspected.approval);
    if (hash !== what || !inspected.hooks.every(isApprovable)) return undefined;
    const isStored = !inspected.isUnbound && (await openTrust(host).approvals(approvalsRoot)).has(inspected.approval);
    if (!(this.#answered.get(hash) ?? isStored)) return undefined;
    this.#options.rememberHooks(inspected.hooks);
    return { origin: file, hooks };
  }

  async #hookIn(skill: Skill, key: string, source: HookSource): Promise<void> {
    if (this.#hooked.has(key)) return;
    await this.#options.recordHooks(skill.name, key);
    this.#add(key, source);
  }

  #add(key: string, source: HookSource): void {
    if (this.#hooked.has(key)) return;
    this.#hooked.add(key);
    this.#options.hooks.add([source]);
  }

  /** The plugin, if it is as you approved it, and the approval showed the grants of this skill. */
  #pluginOf(skill: Skill): PluginFound {
    const { host, plugins } = this.#options;
    const name = skill.source.plugin ?? '';
    const plugin = plugins.find((one) => one.name === name && one.isApproved);
    if (plugin === undefined)
      return { ok: false, reason: `plugin ${name} is not approved (coppice plugins approve ${name})` };
    const changed = whyPluginChanged(host, plugin);
    if (changed !== undefined) return { ok: false, reason: changed };
    return isGrantShown(skill, plugin)
      ? { ok: true, plugin }
      : { ok: false, reason: `${skill.source.file} grants more than you approved with plugin ${name}` };
  }

  async #inspect(skill: Skill): Promise<Inspected> {
    const { host, projectRoot } = this.#options;
    const { name, source, allowedTools, disallowedTools, prompt, argumentNames } = skill;
    const { context, agent, background, model, effort, shell } = skill;
    const found = skill.hooks === undefined ? [] : [{ name: `skill ${name}`, hooks: skill.hooks, source }];
    const hooks = await findProjectHooks({ host, projectRoot, hooks: [], definitions: found });
    const text = createHash('sha256').update(prompt).digest('hex');
    const files = hooks.map((hook) => hook.files);
    const how = { disallowedTools, argumentNames, context, agent, background, model, effort, shell };
    const beside = namesOwnFiles(skill) ? hashFolder(host, skill.folder) : undefined;
    const own = beside?.ok ? { beside: beside.hash } : {};
    const granted = await grantedFiles(host, projectRoot, skill);
    const named = granted !== undefined && Object.keys(granted).length > 0 ? { named: granted } : {};
    const value = { file: source.file, allowedTools, hooks: skill.hooks, files, text, how, ...own, ...named };
    const summary = [...allowedTools, ...hooks.map(({ event }) => event)].join(', ');
    const approval = { kind: 'skill', name: source.file, value, summary } as const;
    return { approval, hooks, isUnbound: beside?.ok === false || granted === undefined };
  }

  async #isApproved(
    inspected: Inspected,
    { agent, skill, allow }: Omit<SkillToApprove, 'isTyped'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { host, approvalsRoot, gate } = this.#options;
    const { approval, hooks, isUnbound } = inspected;
    if (!hooks.every(isApprovable)) return false;
    const hash = approvalHash(approval);
    const known = this.#answered.get(hash);
    if (known !== undefined) return known;
    const isText = skill.hooks === undefined && !namesFiles(skill);
    if (this.#options.trustsOpened && isText && (await this.#isAsOpened(skill, inspected))) return true;
    const trust = openTrust(host);
    if (!isUnbound && (await trust.approvals(approvalsRoot)).has(approval)) return true;
    const lines = [
      `Skill ${skill.name} (${skill.source.file}) requests, while it is in use:`,
      ...(allow.length > 0 ? [`without asking: ${allow.join(', ')}`] : []),
      ...(hooks.length > 0 ? ['automatically, for the rest of the session:'] : []),
      ...hooks.flatMap(describeHook),
    ];
    const reason = lines.map(escapeToLine).join('\n');
    const request = { about: 'skill-grants', reason, call: namedInput('Skill', { skill: skill.name }) } as const;
    const answer = await gate.confirm(request, agent.requester, signal);
    if (answer === 'nobody') return false;
    this.#answered.set(hash, answer === 'yes');
    if (answer === 'yes' && !isUnbound) await trust.approve(approvalsRoot, [approval]);
    return answer === 'yes';
  }
}

function withoutOnce(hooks: HooksSetting): HooksSetting {
  const left = (group: HookGroup) => ({ ...group, hooks: group.hooks.filter((hook) => hook.once !== true) });
  const groups = Object.entries(hooks).map(([event, all = []]) => [event, all.map(left)]);
  return Object.fromEntries(groups);
}

function denied({ name, hooks }: Skill): string {
  return `skill ${name} runs without ${hooks === undefined ? 'its permissions' : 'its permissions and hooks'}`;
}
