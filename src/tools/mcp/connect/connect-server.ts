/** Connects to a server of any kind (MC-1, MC-14). */

import { reasonOf } from '../../../protocol/reason-of.js';
import type { Connected, ConnectRequest } from './connection.js';
import { readLimits } from './limits.js';
import { LiveConnection } from './live-connection.js';
import { type ClientSetup, openClient } from './open-client.js';
import { PausableTimers } from './pausable-timers.js';
import { RunningCalls } from './running-calls.js';

/** Pauses between attempts to reach a remote server. */
const RETRY_MS = [500, 1_000] as const;

/** Never rejects. */
export async function connectServer(request: ConnectRequest): Promise<Connected> {
  try {
    return await connect(request);
  } catch (error) {
    return { ok: false, kind: 'failed', reason: reasonOf(error) };
  }
}

async function connect(request: ConnectRequest): Promise<Connected> {
  const { server, host, signal } = request;
  const patience = new PausableTimers(host.clock);
  const setup: ClientSetup = {
    sdk: await import('@modelcontextprotocol/client'),
    request,
    environment: request.environment(server, { ...host.env, CLAUDE_PROJECT_DIR: host.folder }),
    limits: readLimits(server, host.env),
    patience,
    calls: new RunningCalls(server.name, patience, request.elicit),
  };
  const isRemote = server.config.kind === 'http' || server.config.kind === 'sse';
  for (let attempt = 0; ; attempt += 1) {
    const opened = await openClient(setup);
    if (opened.ok) return { ok: true, connection: new LiveConnection(setup, opened.line) };
    const pause = isRemote && opened.isPassing ? RETRY_MS[attempt] : undefined;
    if (pause === undefined || signal.aborted) return opened.refusal;
    await host.clock.sleep(pause, signal);
    if (signal.aborted) return opened.refusal;
  }
}
