/** Filters a project's settings: nothing that acts before the folder is trusted, and never anything that widens. Pure. */

import type { PermissionMode } from '../../protocol/permission.js';
import { getSetting, setSetting } from './merge-settings.js';
import { isReservedForPerson } from './project-environment.js';
import { SETTING_KEYS, SETTING_NAMES, type SettingName } from './setting-keys.js';
import type { Settings } from './settings-schema.js';

export type IgnoredSetting = {
  readonly key: string;
  /** `untrusted`: needs a trusted folder · `reserved`: a project can never set it · `wider`: less strict than the user's. */
  readonly reason: 'untrusted' | 'reserved' | 'wider';
};

/**
 * `own` is the result of the user's own layers, without the project. `answered`: allow rules of this file that are there
 * because the person answered so.
 */
export function restrictProject(
  settings: Settings,
  own: Settings,
  trusted: boolean,
  answered: readonly string[],
): { readonly settings: Settings; readonly ignored: readonly IgnoredSetting[] } {
  const kept: Settings = {};
  const ignored: IgnoredSetting[] = [];
  for (const name of SETTING_NAMES) {
    const value = getSetting(settings, name);
    if (value === undefined) continue;
    const judged = judge(name, value, own, { trusted, answered });
    if (judged.value !== undefined) setSetting(kept, name, judged.value);
    ignored.push(...judged.ignored);
  }
  return { settings: kept, ignored };
}

type Standing = { readonly trusted: boolean; readonly answered: readonly string[] };

function judge(name: SettingName, value: unknown, own: Settings, { trusted, answered }: Standing): Judged {
  const { project } = SETTING_KEYS[name];
  switch (project) {
    case 'free':
      return { value, ignored: [] };
    case 'never':
      return { value: undefined, ignored: [{ key: name, reason: 'reserved' }] };
    case 'narrows': {
      const width = compareWidth(name, value, getSetting(own, name));
      if (width < 0) return { value, ignored: [] };
      return { value: undefined, ignored: width === 0 ? [] : [{ key: name, reason: 'wider' }] };
    }
    case 'trusted':
      if (name === 'env') return judgeEnvironment(value as Readonly<Record<string, string>>, trusted);
      if (trusted || isEmpty(value)) return { value, ignored: [] };
      if (name === 'permissions.allow') return keepAnswered(value as readonly string[], answered);
      return { value: undefined, ignored: [{ key: name, reason: 'untrusted' }] };
    default:
      return project satisfies never;
  }
}

function keepAnswered(rules: readonly string[], answered: readonly string[]): Judged {
  const kept = rules.filter((rule) => answered.includes(rule));
  const ignored = kept.length === rules.length ? [] : [{ key: 'permissions.allow', reason: 'untrusted' as const }];
  return { value: kept.length === 0 ? undefined : kept, ignored };
}

type Judged = { readonly value: unknown; readonly ignored: readonly IgnoredSetting[] };

function judgeEnvironment(env: Readonly<Record<string, string>>, trusted: boolean): Judged {
  const entries = Object.entries(env);
  const reserved = entries.filter(([name]) => isReservedForPerson(name));
  const rest = entries.filter(([name]) => !isReservedForPerson(name));
  const ignored = reserved.map(([name]): IgnoredSetting => ({ key: `env.${name}`, reason: 'reserved' }));
  if (!trusted && rest.length > 0) ignored.push({ key: 'env', reason: 'untrusted' });
  return { value: trusted ? Object.fromEntries(rest) : undefined, ignored };
}

/** From strictest to widest. */
const MODES: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'];
const SANDBOXES: readonly string[] = ['required', 'auto', 'off'];
/** Without the box, fewer commands run unasked: only those proven by their text. */
const CONFINE_READS: readonly string[] = ['off', 'auto'];

/** Below 0: stricter than the user's own value (or the default). Above 0: wider. */
function compareWidth(name: SettingName, value: unknown, own: unknown): number {
  switch (name) {
    case 'permissions.defaultMode':
      return rank(MODES, value) - rank(MODES, own ?? 'default');
    case 'sandbox':
      return rank(SANDBOXES, value) - rank(SANDBOXES, own ?? 'off');
    case 'confineReads':
      return rank(CONFINE_READS, value) - rank(CONFINE_READS, own ?? 'auto');
    default:
      return Number(Boolean(own)) - Number(Boolean(value));
  }
}

function rank(order: readonly unknown[], value: unknown): number {
  return order.indexOf(value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
