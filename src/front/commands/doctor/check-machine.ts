/** Checks the machine for `coppice doctor` and `/doctor`: each check is ok, or reports what to do (SF-2). */

import { join } from 'node:path';
import { describeUnapproved } from '../../../config/approvals/project-hooks.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import { configDir, coppiceHome } from '../../../config/paths.js';
import { formatProblem } from '../../../config/problem.js';
import { readSettings, type SettingsResult } from '../../../config/settings/read-settings.js';
import { settingOf } from '../../../config/settings/settings-table.js';
import { openTrust } from '../../../config/trust.js';
import { describeRule } from '../../../gate/permissions/rules/describe-rule.js';
import { refuseRules } from '../../../gate/session-rules.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeControls, escapeToLine } from '../../../protocol/escape-controls.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { joinSome } from '../../../protocol/text/one-line.js';
import { findUnapproved } from '../../cli/find-hooks.js';
import type { CommandContext } from '../command-context.js';
import { checkTerminal } from './check-terminal.js';
import { type Finding, firstLine } from './finding.js';

/** `/doctor`: runs the checks in the session's folder. */
export async function showDoctor({ session, say }: CommandContext): Promise<void> {
  for (const finding of await checkMachine(nodeHost(session.cwd), process.stdout)) say(describeFinding(finding));
}

/** `output` is checked for a terminal. */
export async function checkMachine(
  host: Host,
  output: Parameters<typeof checkTerminal>[1],
): Promise<readonly Finding[]> {
  return Promise.all([
    checkNode(),
    checkGit(host),
    checkRipgrep(host),
    checkSandbox(host),
    checkBox(host),
    checkKey(host),
    checkTerminal(host, output),
    checkWriteAccess(host),
    checkSettings(host),
    checkRules(host),
    checkHooks(host),
  ]);
}

export function describeFinding({ check, state, found }: Finding): string {
  return `${MARKS[state]} ${check.padEnd(10)} ${escapeControls(found)}`;
}

const MARKS = { ok: 'ok  ', note: 'note', problem: 'BAD ' } as const;

async function checkNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return enough
    ? { check: 'node', state: 'ok', found: process.versions.node }
    : { check: 'node', state: 'problem', found: `${process.versions.node}: install 20.19 or later` };
}

async function checkGit(host: Host): Promise<Finding> {
  const version = await firstLine(host, 'git', ['--version']);
  if (version === undefined) {
    return { check: 'git', state: 'problem', found: 'not found: install git; worktrees and history need it' };
  }
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  const enough = major > 2 || (major === 2 && minor >= 38);
  return enough
    ? { check: 'git', state: 'ok', found: version }
    : { check: 'git', state: 'note', found: `${version}: worktrees need 2.38 or later; install a newer git` };
}

async function checkRipgrep(host: Host): Promise<Finding> {
  const shipped = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  const version =
    (shipped && (await firstLine(host, shipped, ['--version']))) || (await firstLine(host, 'rg', ['--version']));
  return version
    ? { check: 'ripgrep', state: 'ok', found: version }
    : {
        check: 'ripgrep',
        state: 'problem',
        found: 'not found: reinstall coppice, or install ripgrep; Grep and Glob need it',
      };
}

async function checkSandbox(host: Host): Promise<Finding> {
  const { describeSandbox, findStatus } = await import('../../../gate/sandbox/describe-sandbox.js');
  const { settings } = await readFolderSettings(host);
  return { check: 'sandbox', ...describeSandbox(await findStatus(host), settings.sandbox) };
}

async function checkBox(host: Host): Promise<Finding> {
  const { describeLimits, findStatus } = await import('../../../gate/sandbox/describe-sandbox.js');
  const { settings } = await readFolderSettings(host);
  return { check: 'box', ...describeLimits(await findStatus(host), settingOf(settings, 'confineReads')) };
}

async function checkKey(host: Host): Promise<Finding> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: url } = host.env;
  const endpoint = url ? ` for ${url}` : '';
  if (key) return { check: 'key', state: 'ok', found: `ANTHROPIC_API_KEY is set${endpoint}` };
  if (token) return { check: 'key', state: 'ok', found: `ANTHROPIC_AUTH_TOKEN is set${endpoint}` };
  return { check: 'key', state: 'note', found: 'none: set ANTHROPIC_API_KEY (`coppice demo` needs none)' };
}

async function checkWriteAccess(host: Host): Promise<Finding> {
  const home = coppiceHome(host.env);
  const probe = join(home, `.doctor-${host.newId()}`);
  try {
    await host.files.makeFolder(home, 0o700);
    await host.files.create(probe, 'ok');
    await host.files.remove(probe);
    return { check: 'state', state: 'ok', found: `${home} is writable` };
  } catch (error) {
    const reason = reasonOf(error);
    return {
      check: 'state',
      state: 'problem',
      found: `${home} is not writable (${reason}): set COPPICE_HOME to a folder you can write to`,
    };
  }
}

async function readFolderSettings(host: Host): Promise<SettingsResult & { readonly refusal: string | undefined }> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = await openTrust(host).isTrusted(host.folder);
  const result = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  return { ...result, refusal: refuseRules(result.rules, { projectRoot, trusted }) };
}

async function checkSettings(host: Host): Promise<Finding> {
  const result = await readFolderSettings(host);
  if (result.errors.length > 0) {
    return { check: 'settings', state: 'problem', found: result.errors.map(formatProblem).join('; ') };
  }
  if (result.refusal !== undefined)
    return { check: 'settings', state: 'problem', found: escapeToLine(result.refusal.replaceAll('\n', '; ')) };
  const unsupported = [...new Set(result.unsupported.map(({ key }) => key))];
  const files = result.files.filter(({ scope }) => scope !== 'command line').map(({ file }) => file);
  const found =
    files.length > 0 ? files.join(', ') : `none (user settings would be ${join(configDir(host.env), 'settings.json')})`;
  return unsupported.length > 0
    ? { check: 'settings', state: 'note', found: `${found}; recognised but not supported: ${unsupported.join(', ')}` }
    : { check: 'settings', state: 'ok', found };
}

/** Names the allow rules that mean more than their words (GT-35). */
async function checkRules(host: Host): Promise<Finding> {
  const { rules } = await readFolderSettings(host);
  const wide = rules.flatMap(({ behavior, rule }) => {
    const effect = behavior === 'allow' ? describeRule(rule) : undefined;
    return effect === undefined ? [] : [`${rule} ${effect}`];
  });
  if (wide.length === 0) return { check: 'rules', state: 'ok', found: 'no allow rule lets any program run' };
  return { check: 'rules', state: 'note', found: escapeToLine(joinSome(wide, 10)) };
}

/** Hooks of a trusted project run only in their approved form. */
async function checkHooks(host: Host): Promise<Finding> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const query = { host, folder: host.folder, projectRoot };
  const trusted = await openTrust(host).isTrusted(host.folder);
  if (!trusted) return { check: 'hooks', state: 'ok', found: "the folder is not trusted: its hooks don't run" };
  const result = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  const line = describeUnapproved(await findUnapproved(query, result));
  return line === undefined
    ? { check: 'hooks', state: 'ok', found: 'all hooks of this project are approved' }
    : { check: 'hooks', state: 'note', found: line };
}
