/** `coppice permissions test`: asks the gate about calls without running them, with the code the loop uses. */

import { declaredType } from '../../../agents/catalog/route.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import { guardedFolders, personHome } from '../../../config/paths.js';
import { formatProblem } from '../../../config/problem.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { openTrust } from '../../../config/trust.js';
import { judge } from '../../../gate/permissions/judge.js';
import type { Policy } from '../../../gate/permissions/policy.js';
import { parseRule, type Rule } from '../../../gate/permissions/rules/rule.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { Action } from '../../../protocol/action.js';
import { makeVisible } from '../../../protocol/make-visible.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/permission.js';
import { BUILT_IN_TOOLS, findTool } from '../../../tools/registry.js';
import { EXIT } from '../exit-code.js';
import { readPrompt } from '../read-prompt.js';

export type PermissionsTestFlags = {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: string;
  readonly trust?: boolean;
  readonly json?: boolean;
};

type Row =
  | {
      readonly tool: string;
      readonly input: unknown;
      readonly decision: string;
      readonly by: string;
      readonly reason: string;
    }
  | { readonly line: number; readonly error: string };

export async function runPermissionsTest(command: string | undefined, flags: PermissionsTestFlags): Promise<number> {
  const mode = flags.mode ?? 'default';
  if (!(PERMISSION_MODES as readonly string[]).includes(mode)) {
    return wrong(`--mode ${mode} is not one of ${PERMISSION_MODES.join(', ')}`);
  }
  const host = nodeHost(await nodeHost(process.cwd()).files.realpath(process.cwd()));
  const policy = await buildPolicy(host, mode as PermissionMode, flags);
  if (typeof policy === 'string') return wrong(policy);
  const calls = command === undefined ? await readCalls() : [{ tool: 'Bash', input: { command } }];
  if (typeof calls === 'string') return wrong(calls);
  let bad = false;
  for (const [index, call] of calls.entries()) {
    const row = ask(call, index + 1, host, policy);
    bad ||= 'error' in row;
    process.stdout.write(`${flags.json ? JSON.stringify(row) : formatRow(row)}\n`);
  }
  return bad ? EXIT.error : EXIT.done;
}

async function buildPolicy(host: Host, mode: PermissionMode, flags: PermissionsTestFlags): Promise<Policy | string> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = flags.trust === true || (await openTrust(host).isTrusted(host.folder));
  const settings = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  if (settings.errors.length > 0) return settings.errors.map(formatProblem).join('\n');
  const rules: Rule[] = [];
  const add = (text: string, behavior: Rule['behavior'], origin: Rule['origin']) => {
    const { rule, warning } = parseRule(text, behavior, origin);
    if (rule) rules.push(rule);
    if (warning) process.stderr.write(`warning: ${warning}\n`);
  };
  for (const { rule, behavior, origin } of settings.rules)
    add(rule, behavior, { source: origin.file, base: origin.folder });
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    for (const text of flags[behavior] ?? []) add(text, behavior, { source: 'command line', base: host.folder });
  }
  const { folder, env, files } = host;
  const home = personHome(env);
  return { mode, rules, roots: [folder], home, guarded: guardedFolders(env), trusted, files: files.sync };
}

/** One JSON object per line. */
async function readCalls(): Promise<readonly unknown[] | string> {
  const piped = await readPrompt(undefined);
  if (piped.kind === 'none') {
    return 'give a command as an argument, or calls on standard input, one JSON object per line: {"tool": "Bash", "input": {"command": "ls"}}';
  }
  return piped.text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => {
      try {
        return JSON.parse(line);
      } catch {
        return line;
      }
    });
}

function ask(call: unknown, line: number, host: Host, policy: Policy): Row {
  const { tool, input, cwd } = record(call);
  if (typeof tool !== 'string') return { line, error: 'not a call: {"tool": …, "input": …} is expected' };
  const folder = typeof cwd === 'string' ? cwd : host.folder;
  const actions = declare(tool, input, folder, host);
  if (typeof actions === 'string') return { line, error: actions };
  const roots = folder === host.folder ? policy.roots : [folder];
  const decision = judge({ tool, input, actions, cwd: folder }, { ...policy, roots });
  const reason = decision.behavior === 'allow' ? '' : decision.reason;
  return { tool, input, decision: decision.behavior, by: decision.by, reason };
}

function declare(name: string, input: unknown, cwd: string, host: Host): readonly Action[] | string {
  if (name === 'Agent' || name === 'Task') return [{ kind: 'spawn', type: declaredType(record(input), true) }];
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  if (mcp) return [{ kind: 'mcp', server: mcp[1] ?? '', tool: mcp[2] ?? '' }];
  const tool = findTool(BUILT_IN_TOOLS, name);
  if (tool === undefined) return [{ kind: 'custom', readOnly: false }];
  const parsed = tool.parse(input);
  return parsed.ok ? tool.declare(parsed.input, { cwd, home: host.env.HOME }) : parsed.reason;
}

function formatRow(row: Row): string {
  if ('error' in row) return `line ${row.line}: ${row.error}`;
  const what = makeVisible(typeof row.input === 'object' ? JSON.stringify(row.input) : String(row.input));
  return `${row.decision.padEnd(5)} ${row.tool} ${what}\n      by ${row.by}${row.reason === '' ? '' : `: ${row.reason}`}`;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function wrong(message: string): number {
  process.stderr.write(`error: ${message}\n`);
  return EXIT.usage;
}
