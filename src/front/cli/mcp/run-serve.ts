/** `coppice mcp serve`: serves a session to another program over stdin and stdout. Only JSON-RPC goes to stdout. */

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { newRandomId } from '../../../host/node-host.js';
import { serveSession } from '../../mcp-server/serve-session.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';
import { EXIT, exitOf } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { openOutput } from '../lost-output.js';
import { onSignals } from '../on-signals.js';
import { optionsFromFlags } from '../options-from-flags.js';

export type ServeFlags = Pick<
  Flags,
  | 'permissionMode'
  | 'allowedTools'
  | 'disallowedTools'
  | 'tools'
  | 'addDir'
  | 'model'
  | 'agent'
  | 'settings'
  | 'mcpConfig'
  | 'strictMcpConfig'
  | 'trust'
>;

/** The limit for a written file. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

export async function runServe(flags: ServeFlags): Promise<number> {
  const options = optionsFromFlags({ ...flags, outputFormat: 'text', inputFormat: 'text', backgroundWait: 0 });
  const opened = await openSession({ ...options, onlyCalls: true });
  if (!opened.ok) return explainOpenFailure(opened);
  const { session } = opened;
  for (const warning of session.warnings) toStderr(warning);
  printMessages(session);
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const signals = onSignals(leave);
  openOutput(leave);
  process.stdin.once('end', leave).once('close', leave).once('error', leave);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: LONGEST_MESSAGE });
  const served = serveStdio(() => serveSession(session, newRandomId), {
    transport,
    onerror: (error) => toStderr(`mcp serve: ${error.message}`),
  });
  await left;
  // Running calls end first: nobody would get their results.
  await session.close('other');
  await served.close();
  process.stdin.destroy();
  signals.stop();
  const signal = signals.received();
  return signal === undefined ? EXIT.done : exitOf(signal);
}

/** Prints messages for the user to stderr, which clients show or log. */
function printMessages(session: Session): void {
  session.watch(({ event }) => {
    if (event.kind === 'line-shown' && event.level !== 'info') toStderr(event.line);
    if (event.kind === 'fault-met') toStderr(event.line);
  });
}

function toStderr(line: string): void {
  process.stderr.write(`${stripControls(line)}\n`);
}
