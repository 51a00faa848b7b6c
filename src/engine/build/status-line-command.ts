/** Runs the command of the status line. The surface decides when, and shows the output (EX-22). */

import { statusLineHooks } from '../../config/approvals/approve-status-line.js';
import { commandOf, type ProjectHook } from '../../config/approvals/project-hooks.js';
import { findShell } from '../../gate/hooks/run-command-hook.js';
import { hookMark, markedSession } from '../../host/process-mark.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { duration } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { HookApprovals } from './hook-approvals.js';
import type { SessionConfig } from './session-config.js';

export type StatusLineCommand = {
  /** Columns before each line. */
  readonly padding: number;
  /** The interval of runs that no event triggers. */
  readonly refreshMs?: number;
  /** Passes the text on stdin. Never rejects; all its processes have ended within six seconds. */
  run(input: string, size: TerminalSize, signal: AbortSignal): Promise<StatusLineRun>;
};

export type TerminalSize = { readonly columns: number; readonly lines: number };

export type StatusLineRun =
  | { readonly kind: 'printed'; readonly text: string }
  /** It failed, took too long, or must not run. */
  | { readonly kind: 'failed'; readonly reason: string };

export type OpenedStatusLine = {
  readonly command?: StatusLineCommand;
  /** Of a project, if you have not approved it as it is. */
  readonly unapproved: readonly ProjectHook[];
  readonly warnings: readonly string[];
};

const TIME_LIMIT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** Call it while the session opens: `trust` for this run applies only then. */
export async function openStatusLine(config: SessionConfig, approvals: HookApprovals): Promise<OpenedStatusLine> {
  const { settings } = config;
  const configured = statusLineHooks(settings);
  const { kept, unapproved } = await approvals.ofSettings(configured);
  if (configured.length === 0) return { unapproved, warnings: [NO_COMMAND] };
  const [handler] = kept.flatMap(({ group }) => group.hooks);
  if (handler === undefined) return { unapproved, warnings: [] };
  const { padding = 0, refreshInterval } = settings.settings.statusLine ?? {};
  const named = commandOf({ hooks: [handler] });
  const run = createRun(config, named.command, () => approvals.whyChanged(named));
  const refresh = refreshInterval === undefined ? {} : { refreshMs: Math.max(1, refreshInterval) * 1_000 };
  return { command: { padding, ...refresh, run }, unapproved: [], warnings: [] };
}

const NO_COMMAND = 'statusLine: needs "type": "command" and a "command" that prints the line (ignored)';

function createRun(
  { host, layout, folder, projectRoot }: SessionConfig,
  command: string,
  whyChanged: () => Promise<string | undefined>,
): StatusLineCommand['run'] {
  const mark = hookMark(markedSession(layout.file), MAIN_AGENT, 'statusLine');
  return async (input, { columns, lines }, signal) => {
    try {
      const changed = await whyChanged();
      if (changed !== undefined) return { kind: 'failed', reason: changed };
      const end = await host.processes.run({
        file: await findShell(host),
        args: ['-c', command],
        cwd: folder,
        env: {
          ...processEnvironment(host, 'command'),
          CLAUDE_PROJECT_DIR: projectRoot,
          COPPICE_PROJECT_DIR: projectRoot,
          COLUMNS: String(columns),
          LINES: String(lines),
        },
        mark,
        input,
        timeoutMs: TIME_LIMIT_MS,
        maxBytes: MAX_BYTES,
        signal,
      });
      if (end.timedOut) return { kind: 'failed', reason: `it took longer than ${duration(TIME_LIMIT_MS)}` };
      if (end.code !== 0) return { kind: 'failed', reason: `exit ${end.code ?? end.signal ?? end.error?.message}` };
      return { kind: 'printed', text: end.stdout.toString('utf8') };
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error) };
    }
  };
}
