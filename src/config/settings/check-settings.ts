/** Checks one settings file: its values, its unknown keys, and its problems with line numbers. Pure. */

import type * as z from 'zod';
import { isObject, type JsonObject } from '../../protocol/json/json-values.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';
import { findJsonPositions, type JsonPositions } from './json-positions.js';
import { describeIssue, describeValue } from './setting-issue.js';
import { SETTING_ALIASES, SETTING_NAMES, type Settings, settingsSchema } from './settings-table.js';

export type CheckedSettings = {
  /** Undefined if there is any error: a file is used as a whole or not at all. */
  readonly settings: Settings | undefined;
  /** Keys of the common settings format that we don't support. */
  readonly unsupported: readonly string[];
  readonly unknown: readonly string[];
  readonly problems: readonly Problem[];
};

const NAMES: ReadonlySet<string> = new Set(SETTING_NAMES);
const GROUPS: ReadonlySet<string> = new Set(SETTING_NAMES.flatMap((name) => name.split('.').slice(0, -1)));
/** Modes of the common settings format that we don't have. They don't make the file invalid. */
const OTHER_MODES: ReadonlySet<unknown> = new Set(['auto', 'delegate']);

export function checkSettingsText(text: string, file: string): CheckedSettings {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let positions: JsonPositions | undefined;
  const locate = () => {
    positions ??= findJsonPositions(source);
    return positions;
  };
  let value: unknown;
  try {
    value = source.trim() === '' ? {} : JSON.parse(source);
  } catch (error) {
    return refused(syntaxProblem(file, locate(), error));
  }
  const checked = checkSettingsValue(value, file, locate);
  const duplicates = duplicatesIn(locate()).map(
    ({ path, position }): Problem => ({
      severity: 'warning',
      file,
      ...position,
      message: `duplicate key ${path}: the last one is used, remove the other`,
    }),
  );
  return { ...checked, problems: [...checked.problems, ...duplicates] };
}

/** Checks a value that is already parsed (command line, library). */
export function checkSettingsValue(value: unknown, file: string, locate?: () => JsonPositions): CheckedSettings {
  if (!isObject(value)) {
    const message = `settings: expected an object ({ … }), found ${describeValue(value)}`;
    return refused({ severity: 'error', file, ...(locate === undefined ? {} : { line: 1, column: 1 }), message });
  }
  const warnings: Problem[] = [];
  const at = (path: readonly PropertyKey[]) => positionIn(locate, path);
  const raw = readCommonSpellings(value, (path, message) =>
    warnings.push({ severity: 'warning', file, ...at(path), message }),
  );
  const { unsupported, unknown } = sortKeys(value);
  if (isBlank(raw)) return { settings: {}, unsupported, unknown, problems: warnings };
  const parsed = settingsSchema().safeParse(raw);
  if (parsed.success) return { settings: parsed.data, unsupported, unknown, problems: warnings };
  const errors = parsed.error.issues.map((issue: z.core.$ZodIssue): Problem => {
    const { path, message } = describeIssue(issue, raw);
    return { severity: 'error', file, ...at(path), message };
  });
  return { settings: undefined, unsupported, unknown, problems: [...errors, ...warnings] };
}

/** True if there are no keys, or only empty groups. */
function isBlank(value: JsonObject): boolean {
  return Object.values(value).every((member) => isObject(member) && Object.keys(member).length === 0);
}

function refused(problem: Problem): CheckedSettings {
  return { settings: undefined, unsupported: [], unknown: [], problems: [problem] };
}

function syntaxProblem(file: string, positions: JsonPositions, error: unknown): Problem {
  if (positions.ok) {
    const reason = reasonOf(error);
    return { severity: 'error', file, message: `not valid JSON: ${reason}` };
  }
  return { severity: 'error', file, ...positions.position, message: `not valid JSON: ${positions.message}` };
}

function duplicatesIn(positions: JsonPositions) {
  return positions.ok ? positions.duplicates : [];
}

function positionIn(locate: (() => JsonPositions) | undefined, path: readonly PropertyKey[]) {
  const positions = locate?.();
  if (positions === undefined || !positions.ok) return {};
  // A missing member has no position: use that of its nearest parent.
  for (let length = path.length; length >= 0; length--) {
    const position = positions.at(path.slice(0, length));
    if (position !== undefined) return position;
  }
  return {};
}

/** Translates spellings of the common settings format to ours. */
function readCommonSpellings(value: JsonObject, warn: (path: readonly string[], message: string) => void): JsonObject {
  const raw: Record<string, unknown> = { ...value };
  for (const [alias, name] of Object.entries(SETTING_ALIASES)) {
    if (alias in raw && !(name in raw)) raw[name] = raw[alias];
    delete raw[alias];
  }
  if (isObject(raw.sandbox)) raw.sandbox = raw.sandbox.mode ?? sandboxMode(raw.sandbox);
  if (isObject(raw.permissions) && OTHER_MODES.has(raw.permissions.defaultMode)) {
    const { defaultMode, ...permissions } = raw.permissions;
    warn(['permissions', 'defaultMode'], `the mode ${JSON.stringify(defaultMode)} is not supported and is ignored`);
    raw.permissions = permissions;
  }
  return raw;
}

/** A client that sets `failIfUnavailable` wants nothing to run without a sandbox. */
function sandboxMode({ enabled, failIfUnavailable }: JsonObject): string {
  if (enabled !== true) return 'off';
  return failIfUnavailable === true ? 'required' : 'auto';
}

function sortKeys(value: JsonObject) {
  const unsupported: string[] = [];
  const unknown: string[] = [];
  const sort = (name: string) => {
    if (name === '$schema' || NAMES.has(name) || Object.hasOwn(SETTING_ALIASES, name)) return;
    (UNSUPPORTED_KEYS.has(name) ? unsupported : unknown).push(name);
  };
  for (const [key, member] of Object.entries(value)) {
    if (!GROUPS.has(key)) sort(key);
    else if (isObject(member)) for (const name of Object.keys(member)) sort(`${key}.${name}`);
    if (key === 'sandbox' && isObject(member)) {
      unsupported.push(
        ...Object.keys(member).flatMap((name) =>
          /^(mode|enabled|failIfUnavailable)$/.test(name) ? [] : `sandbox.${name}`,
        ),
      );
    }
  }
  return { unsupported, unknown };
}

/** Keys of the common settings format that have no effect here. `coppice config` lists them. */
const UNSUPPORTED_KEYS: ReadonlySet<string> = new Set([
  'agent',
  'allowManagedHooksOnly',
  'allowManagedPermissionRulesOnly',
  'attribution',
  'autoMemoryDirectory',
  'autoMemoryEnabled',
  'autoMode',
  'autoUpdates',
  'autoUpdatesChannel',
  'availableModels',
  'awsAuthRefresh',
  'awsCredentialExport',
  'blockedMarketplaces',
  'channelsEnabled',
  'claudeMdExcludes',
  'companyAnnouncements',
  'defaultShell',
  'disableAutoMode',
  'fastMode',
  'fastModePerSessionOptIn',
  'feedbackSurveyRate',
  'fileSuggestion',
  'forceLoginMethod',
  'forceLoginOrgUUID',
  'includeCoAuthoredBy',
  'includeGitInstructions',
  'language',
  'modelOverrides',
  'otelHeadersHelper',
  'permissions.disableAutoMode',
  'plansDirectory',
  'preferredNotifChannel',
  'prefersReducedMotion',
  'promptSuggestionEnabled',
  'respectGitignore',
  'showThinkingSummaries',
  'showTurnDuration',
  'skipDangerousModePermissionPrompt',
  'skipWebFetchPreflight',
  'spinnerTipsEnabled',
  'spinnerTipsOverride',
  'spinnerVerbs',
  'strictKnownMarketplaces',
  'syntaxHighlightingDisabled',
  'teammateMode',
  'terminalProgressBarEnabled',
  'verbose',
  'voiceEnabled',
  'viewMode',
]);
