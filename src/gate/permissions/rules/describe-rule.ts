/** Describes what an allow rule means beyond its words, for people who read a list of rules (GT-35). */

import { nameSet } from '../programs/name-set.js';
import { isLauncher, isShell, programName, runsText } from '../shell/restrictions/wrappers.js';
import { parseRule } from './rule.js';

/** Run what the project configures, or a program in a container. */
const PROJECT_RUNNERS = nameSet(`
  npm pnpm yarn bun cargo go pytest tox nox mvn gradle gradlew docker podman docker-compose kubectl vagrant ansible cmake ninja
  bazel rails bundle composer dotnet sbt lein mix ssh`);
/** Subcommands of these that take any program, package or script. */
const RUNNING_SUBCOMMAND = /^(?:run|run-script|exec|x|dlx|start|create|compose|-.*)$/;
const SENDERS = nameSet(`
  curl wget scp sftp rsync rclone ssh ftp tftp lftp nc ncat netcat socat telnet http https xh aws gsutil az s3cmd mail sendmail`);

/** `rule`: the text of an allow rule. Undefined if it says no more than its words. */
export function describeRule(rule: string): string | undefined {
  const words = openWords(rule);
  if (words === undefined) return undefined;
  const [first, second] = words;
  if (first === undefined) return ANY_PROGRAM;
  const name = programName(first);
  if (second !== undefined && !RUNNING_SUBCOMMAND.test(second)) return undefined;
  const runs = isShell(name) || isLauncher(name) || runsText(name) || PROJECT_RUNNERS.has(name);
  const effects = [...(runs ? [ANY_PROGRAM] : []), ...(SENDERS.has(name) ? ['can send any file'] : [])];
  return effects.length === 0 ? undefined : effects.join(', ');
}

const ANY_PROGRAM = 'lets any program run';

/** True if the rule covers more than in versions that judged each option and each program behind it. */
export function meansMore(rule: string): boolean {
  const words = openWords(rule);
  const name = words?.[0];
  return name !== undefined && (programName(name) === 'git' || describeRule(rule)?.startsWith(ANY_PROGRAM) === true);
}

/** The words of a rule about commands that any others may follow; empty: every command. */
function openWords(text: string): readonly string[] | undefined {
  const { rule } = parseRule(text, 'allow', { source: '', base: '/' });
  if (rule?.tool !== 'Bash') return undefined;
  if (rule.matches.kind === 'every') return [];
  if (rule.matches.kind !== 'command' || rule.matches.pattern.form !== 'prefix') return undefined;
  return rule.matches.pattern.words;
}
