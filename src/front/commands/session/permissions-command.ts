/** `/permissions`: lists the rules with their files; adds a rule to the local settings, or removes it there. */

import type { SettingsReport } from '../../../engine/inspect/reports.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { isObject } from '../../../protocol/json/json-values.js';
import type { RuleBehavior } from '../../../protocol/permission.js';
import type { Result } from '../../../protocol/result.js';
import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'say'>;

const USE =
  'Use /permissions, /permissions allow RULE, /permissions ask RULE, /permissions deny RULE, or /permissions remove RULE. A rule: Bash(npm test:*), Edit(docs/**), WebFetch(domain:example.org).';

const BEHAVIORS = ['allow', 'ask', 'deny'] as const;

export async function runPermissions(context: Context, argument: string): Promise<void> {
  const [, verb = '', rule = ''] = /^(\S+)\s*(.*)$/s.exec(argument) ?? [];
  if (verb === '') return list(context);
  const behavior = BEHAVIORS.find((one) => one === verb);
  if (rule === '' || (behavior === undefined && verb !== 'remove')) return context.say(USE);
  return behavior === undefined ? remove(context, rule) : add(context, behavior, rule);
}

async function list({ session, say }: Context): Promise<void> {
  const [found, settings] = [
    await session.execute({ type: 'permission-rules' }),
    await session.execute({ type: 'settings' }),
  ];
  if (!found.ok) return say(escapeToLine(found.reason));
  const { rules, folders } = found.rules;
  const fileOf = (source: string) => {
    if (source === 'session') return 'your answers in this session';
    const file = settings.ok ? settings.settings.sources.find((one) => one.source === source)?.file : undefined;
    return file === undefined || file === '' ? source : `${source}: ${file}`;
  };
  say(`Mode: ${session.mode}. Deny overrides ask; ask overrides allow.`);
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    for (const { rule, source, effect } of rules.filter((one) => one.behavior === behavior)) {
      const mark = effect === undefined ? '' : ` · ${effect}`;
      say(escapeToLine(`  ${behavior.padEnd(5)}  ${rule}  (${fileOf(source)})${mark}`));
    }
  }
  for (const { path, source } of folders) say(escapeToLine(`  folder  ${path}  (${fileOf(source)})`));
  if (rules.length === 0) say('  No rules: every change asks for permission.');
}

async function add({ session, say }: Context, behavior: RuleBehavior, rule: string): Promise<void> {
  const now = await localRules(session);
  if (!now.ok) return say(escapeToLine(now.reason));
  const before = now.rules[behavior];
  if (before.includes(rule)) return say(escapeToLine(`${behavior} ${rule} already exists.`));
  const done = await save(session, behavior, [...before, rule]);
  say(escapeToLine(done.ok ? `Added to the local settings: ${behavior} ${rule}` : `Not added: ${done.reason}`));
}

async function remove({ session, say }: Context, rule: string): Promise<void> {
  const now = await localRules(session);
  if (!now.ok) return say(escapeToLine(now.reason));
  const behavior = BEHAVIORS.find((one) => now.rules[one].includes(rule));
  if (behavior === undefined)
    return say(escapeToLine(`No rule ${rule} in the local settings. /permissions lists every rule with its file.`));
  const left = now.rules[behavior].filter((one) => one !== rule);
  const done = await save(session, behavior, left);
  say(
    escapeToLine(
      done.ok
        ? `Removed from the local settings: ${behavior} ${rule}. It still applies until this session ends.`
        : `Not removed: ${done.reason}`,
    ),
  );
}

/** Lists are replaced as a whole, so the other rules are rewritten; masked ones can't be. */
async function save(session: Context['session'], behavior: RuleBehavior, rules: readonly string[]) {
  if (rules.some((rule) => rule.includes('••'))) {
    const reason = 'another rule there contains a secret; edit .claude/settings.local.json yourself';
    return { ok: false, reason } as const;
  }
  return session.execute({
    type: 'change-settings',
    source: 'local',
    settings: { permissions: { [behavior]: rules } },
  });
}

type LocalRules = Result<{ readonly rules: Readonly<Record<RuleBehavior, readonly string[]>> }>;

async function localRules(session: Context['session']): Promise<LocalRules> {
  const reported = await session.execute({ type: 'settings' });
  if (!reported.ok) return reported;
  const of = (behavior: RuleBehavior) => rulesIn(reported.settings, behavior);
  return { ok: true, rules: { allow: of('allow'), ask: of('ask'), deny: of('deny') } };
}

function rulesIn({ sources }: SettingsReport, behavior: RuleBehavior): readonly string[] {
  const permissions = sources.find(({ source }) => source === 'local')?.settings.permissions;
  const rules = isObject(permissions) ? permissions[behavior] : undefined;
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
}
