/** The environment of a git that only reads: its own and the repository's programs off (GT-26). */

import type { Environment } from '../../host/host.js';

/** Configuration that runs nothing, whatever the repository says. */
export const GIT_PROGRAMS_OFF: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.ext.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
];

/** `more` comes last and wins. */
export function readingGitEnvironment(
  env: Environment,
  more: readonly (readonly [key: string, value: string])[] = [],
): Environment {
  const pairs = [...GIT_PROGRAMS_OFF, ...more];
  const kept = Object.entries(env).filter(
    ([name]) => !/^GIT_(?:CONFIG|EXTERNAL_DIFF|SSH|ASKPASS|PAGER|EDITOR)/.test(name),
  );
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
    GIT_TERMINAL_PROMPT: '0',
  };
}
