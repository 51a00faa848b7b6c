/**
 * The environment of a git that runs no programs of its own or of the repository (GT-26). Drivers that attributes choose
 * by name (external diffs, textconv, filters) can't be turned off without knowing their names, so a repository that
 * configures one is read without asking only if it is trusted.
 */

import type { Environment } from '../host.js';
import { loadsCode } from '../programs/process-environment.js';

type Settings = readonly (readonly [key: string, value: string])[];

/** Configuration that runs nothing, whatever the repository configures. It comes last, so it wins. */
export const GIT_PROGRAMS_OFF: Settings = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['sequence.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.alternateRefsCommand', 'false'],
  // An empty value means none; for helpers it also drops the ones before it.
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['interactive.diffFilter', 'cat'],
  ['status.submoduleSummary', 'false'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
  ['safe.bareRepository', 'explicit'],
];

/** Git inspects a submodule by running itself in it, with that submodule's own filters. */
const SUBMODULES_OFF: Settings = [
  ['diff.ignoreSubmodules', 'all'],
  ['diff.submodule', 'short'],
  ['submodule.recurse', 'false'],
];

/** Settings that turn filters off, given the keys that configure them: their names are the repository's own. */
export function filtersOff(keys: readonly string[]): Settings {
  const names = new Set(keys.flatMap((key) => /^filter\.([\s\S]*)\.[a-z]+$/i.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((part) => [`filter.${name}.${part}`, ''] as const),
    [`filter.${name}.required`, 'false'] as const,
  ]);
}

/** Needed to fetch without prompting: a partial clone fetches what is missing. */
const TRANSPORT = new Set(['core.sshCommand', 'core.gitProxy', 'credential.helper', 'protocol.allow']);
export const TRANSPORT_VARIABLES: ReadonlySet<string> = new Set(['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT']);

type GitEnvironmentOptions = {
  /** The user trusts the repository, so its submodules may be inspected too. */
  readonly trusted?: boolean;
  /** Missing objects may be fetched with the user's own credentials. Only in a trusted repository. */
  readonly fetches?: boolean;
};

/** `more` comes last and wins. */
export function safeGitEnvironment(
  env: Environment,
  more: Settings = [],
  { trusted = false, fetches = false }: GitEnvironmentOptions = {},
): Environment {
  const off = fetches ? GIT_PROGRAMS_OFF.filter(([key]) => !TRANSPORT.has(key)) : GIT_PROGRAMS_OFF;
  const pairs = [...off, ...(trusted ? [] : SUBMODULES_OFF), ...more];
  const isDropped = (name: string) => /^(?:GIT_|SSH_ASKPASS$)/.test(name) && loadsCode(name);
  const kept = Object.entries(env).filter(([name]) => (fetches && TRANSPORT_VARIABLES.has(name)) || !isDropped(name));
  const config = pairs.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(config),
    GIT_CONFIG_COUNT: String(pairs.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_SEQUENCE_EDITOR: 'false',
    GIT_ASKPASS: '',
    GIT_TERMINAL_PROMPT: '0',
    // Otherwise no transport at all: a missing object of a partial clone is an error, not a download.
    ...(fetches ? {} : { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' }),
  };
}
