/** `coppice permissions test`: shows the permission decision on calls without running them, with the code the loop uses. */

import { declaredType } from '../../../agents/catalog/route.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import { formatProblem } from '../../../config/problem.js';
import type { SourcedRule } from '../../../config/settings/collect-sources.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { settingOf } from '../../../config/settings/settings-table.js';
import { openTrust } from '../../../config/trust.js';
import { createGate, type Gate } from '../../../gate/gate.js';
import { lazySandbox } from '../../../gate/sandbox/lazy-sandbox.js';
import type { Sandbox } from '../../../gate/sandbox/sandbox.js';
import { refuseRules } from '../../../gate/session-rules.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { Action } from '../../../protocol/action.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { objectOf } from '../../../protocol/json/json-values.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/permission.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import { BUILT_IN_TOOLS, findTool } from '../../../tools/registry.js';
import { EXIT, usageError } from '../exit-code.js';
import { readPrompt } from '../read-prompt.js';

export type PermissionsTestFlags = {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: string;
  readonly trust?: boolean;
  /** `on` or `off`; omitted: as on this machine with its settings. */
  readonly confine?: string;
  readonly json?: boolean;
  /** The decision that every call must get; otherwise the exit code is 1. */
  readonly expect?: string;
};

type Row =
  | {
      readonly tool: string;
      readonly input: unknown;
      readonly decision: string;
      readonly by: string;
      readonly reason: string;
      /** It would run read-only. */
      readonly confined: boolean;
      /** With which limits it would run; `free`: without any. */
      readonly run?: string;
      /** The parts of a command line that nothing covers. */
      readonly uncovered?: readonly { readonly part: string; readonly reason: string }[];
    }
  | { readonly line: number; readonly error: string };

export async function runPermissionsTest(command: string | undefined, flags: PermissionsTestFlags): Promise<number> {
  const mode = flags.mode ?? 'default';
  if (!(PERMISSION_MODES as readonly string[]).includes(mode)) {
    return usageError(`--mode ${mode} is not one of ${PERMISSION_MODES.join(', ')}`);
  }
  if (flags.confine !== undefined && flags.confine !== 'on' && flags.confine !== 'off')
    return usageError(`--confine ${flags.confine} is not one of on, off`);
  if (flags.expect !== undefined && !/^(?:allow|ask|deny)$/.test(flags.expect))
    return usageError(`--expect ${flags.expect} is not one of allow, ask, deny`);
  const host = nodeHost(await nodeHost(process.cwd()).files.realpath(process.cwd()));
  const opened = await openGate(host, flags);
  if (typeof opened === 'string') return usageError(opened);
  const calls = command === undefined ? await readCalls() : [{ tool: 'Bash', input: { command } }];
  if (typeof calls === 'string') return usageError(calls);
  let hasErrors = false;
  for (const [index, call] of calls.entries()) {
    const row = await decide(call, index + 1, { host, gate: opened.gate, mode: mode as PermissionMode });
    hasErrors ||= 'error' in row || (flags.expect !== undefined && row.decision !== flags.expect);
    process.stdout.write(`${flags.json ? JSON.stringify(row) : formatRow(row)}\n`);
  }
  await opened.close();
  return hasErrors ? EXIT.error : EXIT.done;
}

async function openGate(
  host: Host,
  flags: PermissionsTestFlags,
): Promise<{ readonly gate: Gate; close(): Promise<void> } | string> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = flags.trust === true || (await openTrust(host).isTrusted(host.folder));
  const settings = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  if (settings.errors.length > 0) return settings.errors.map(formatProblem).join('\n');
  const origin = { scope: 'command line', file: 'command line', folder: host.folder } as const;
  const given = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    (flags[behavior] ?? []).map((rule): SourcedRule => ({ behavior, rule, origin })),
  );
  const rules = [...settings.rules, ...given];
  const unsafe = refuseRules(rules, { projectRoot, trusted });
  if (unsafe !== undefined) return unsafe;
  const sandbox = lazySandbox({ host, roots: [host.folder] });
  const box = flags.confine === 'on' ? ASSUMED_BOX : sandbox;
  const isOff = flags.confine === 'off' || (!flags.confine && settingOf(settings.settings, 'confineReads') === 'off');
  const gate = createGate({
    host,
    projectRoot,
    rules,
    trusted,
    readRoots: [],
    ...(isOff ? {} : { box }),
    editsAgreed: undefined,
    acceptEdits: async () => {},
    warn: (line) => process.stderr.write(`warning: ${line}\n`),
  });
  return { gate, close: () => sandbox.close() };
}

/** For `--confine on`: a machine with a sandbox, and nothing denied in git's history. */
const ASSUMED_BOX: Pick<Sandbox, 'prepare'> = {
  prepare: async (request) => ({
    ok: true,
    view: {
      ...request,
      masks: [],
      maskedFolders: [],
      pipes: [],
      gitFolders: [],
      places: [],
      stores: [],
      unchanged: [],
      deniedInGit: false,
      gitIsWhole: true,
    },
  }),
};

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

type DecideContext = { readonly host: Host; readonly gate: Gate; readonly mode: PermissionMode };

async function decide(call: unknown, line: number, { host, gate, mode }: DecideContext): Promise<Row> {
  const { tool, input, cwd } = objectOf(call);
  if (typeof tool !== 'string') return { line, error: 'not a call: expected {"tool": …, "input": …}' };
  const folder = typeof cwd === 'string' ? cwd : host.folder;
  const actions = declare(tool, input, folder, host);
  if (typeof actions === 'string') return { line, error: actions };
  const files = host.files.sync;
  const agent = {
    type: MAIN_AGENT,
    mode,
    readOnly: false,
    limits: undefined,
    roots: [folder],
    folder,
    cwd: folder,
    files,
  };
  const { decision } = await gate.decide(agent, { id: String(line), tool, input, actions });
  const { behavior, by } = decision;
  const reason = behavior === 'allow' ? '' : decision.reason;
  if (behavior !== 'allow') {
    const uncovered = behavior === 'ask' && decision.uncovered ? { uncovered: decision.uncovered } : {};
    return { tool, input, decision: behavior, by, reason, confined: false, ...uncovered };
  }
  const run = actions.some(({ kind }) => kind === 'shell') ? { run: decision.run?.kind ?? 'free' } : {};
  return { tool, input, decision: behavior, by, reason, confined: decision.run?.kind === 'reading', ...run };
}

function declare(name: string, input: unknown, cwd: string, host: Host): readonly Action[] | string {
  if (factsOf(name).name === 'Agent') return [{ kind: 'spawn', type: declaredType(objectOf(input), true) }];
  // Tools that a session adds to the built-in ones, and that have rules.
  if (name === 'Skill') return [{ kind: 'skill', name: String(objectOf(input).skill ?? '').replace(/^\//, '') }];
  if (name === 'WebSearch') return [{ kind: 'web-search', query: String(objectOf(input).query ?? '') }];
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  if (mcp) return [{ kind: 'mcp', server: mcp[1] ?? '', tool: mcp[2] ?? '' }];
  const tool = findTool(BUILT_IN_TOOLS, name);
  if (tool === undefined) return [{ kind: 'custom', readOnly: false }];
  const parsed = tool.parse(input);
  return parsed.ok ? tool.declare(parsed.input, { cwd, home: host.env.HOME }) : parsed.reason;
}

function formatRow(row: Row): string {
  if ('error' in row) return `line ${row.line}: ${row.error}`;
  const what = escapeControls(typeof row.input === 'object' ? JSON.stringify(row.input) : String(row.input));
  const why = `by ${row.by}${row.reason === '' ? '' : `: ${row.reason}`}`;
  return `${row.decision.padEnd(5)} ${row.tool} ${what}\n      ${why}`;
}
