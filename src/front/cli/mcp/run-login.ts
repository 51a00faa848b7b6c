/** `coppice mcp login` and `coppice mcp logout`: signing in to remote MCP servers, and out again (MC-8, MC-24). */

import { join } from 'node:path';
import type { ConfiguredServer } from '../../../config/mcp/server-config.js';
import { configDir } from '../../../config/paths.js';
import { openBrowser } from '../../../host/callback/open-browser.js';
import { newAbort } from '../../../host/clock.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { makeVisibleLine } from '../../../protocol/make-visible.js';
import type { RemoteServer } from '../../../tools/mcp/oauth/remote-server.js';
import { signIn } from '../../../tools/mcp/oauth/sign-in.js';
import { signOut } from '../../../tools/mcp/oauth/sign-out.js';
import { EXIT, exitOf } from '../exit-code.js';
import { onSignals } from '../on-signals.js';
import { askHidden, openPastedLines } from './login-terminal.js';

export type LoginFlags = { readonly browser?: boolean; readonly trust?: boolean };

export async function runMcpLogin(name: string, flags: LoginFlags): Promise<number> {
  const found = await findRemote(name, flags);
  if (!found.ok) return refuse(found.reason);
  const { host, server } = found;
  const stop = newAbort();
  const interrupt = () => stop.abort();
  const signals = onSignals(interrupt);
  const pasted = openPastedLines('Or paste the address you end up at: ', interrupt);
  try {
    const outcome = await signIn({
      server,
      host,
      signal: stop.signal,
      tell: print,
      visit: (url, redirectUrl, signal) => visit(host, { url, redirectUrl, signal, mayOpen: flags.browser !== false }),
      nextPasted: (signal) => pasted.next(signal),
      askSecret: (question) => askHidden(makeVisibleLine(question), interrupt),
    });
    pasted.close();
    if (!outcome.ok) {
      process.stderr.write(`error: ${makeVisibleLine(outcome.reason)}\n`);
      return outcome.kind === 'cancelled' ? exitOf(signals.received() ?? 'SIGINT') : EXIT.error;
    }
    print(`Signed in to ${makeVisibleLine(name)} (${makeVisibleLine(outcome.issuer)}).`);
    if (outcome.scope !== undefined) print(`Scopes: ${makeVisibleLine(outcome.scope)}`);
    if (!outcome.isRenewable)
      print('The server issued no refresh token: you will have to sign in again when this one ends.');
    if (outcome.setAside !== undefined)
      print(`What was kept of an earlier sign-in could not be read; it is now ${makeVisibleLine(outcome.setAside)}.`);
    return EXIT.done;
  } finally {
    pasted.close();
    signals.stop();
  }
}

type Visit = {
  readonly url: URL;
  readonly redirectUrl: string;
  readonly signal: AbortSignal;
  readonly mayOpen: boolean;
};

/** The address is shown before anything is opened: that may take a while, or open something nobody sees. */
async function visit(host: Host, { url, redirectUrl, signal, mayOpen }: Visit): Promise<void> {
  print(
    mayOpen
      ? 'Opening a browser. If none appears, open this address yourself:'
      : 'Open this address in a browser and sign in:',
  );
  print(`\n  ${url.href}\n`);
  if (mayOpen && (await openBrowser(host, url, signal))) return;
  if (signal.aborted) return;
  if (mayOpen) print('No browser could be opened.');
  print(
    `After the sign-in the browser goes to ${redirectUrl}. If it runs on another machine it shows an error there: copy the whole address from its address bar and paste it here.`,
  );
}

export async function runMcpLogout(name: string, flags: LoginFlags): Promise<number> {
  const found = await findRemote(name, flags);
  if (!found.ok) return refuse(found.reason);
  const stop = newAbort();
  const signals = onSignals(() => stop.abort());
  const done = await signOut({ ...found, signal: stop.signal }).finally(() => signals.stop());
  const shown = makeVisibleLine(name);
  if (!done.ok) {
    process.stderr.write(`error: ${makeVisibleLine(done.reason)}\n`);
    return EXIT.error;
  }
  if (done.kind === 'not-signed-in') print(`You were not signed in to ${shown}.`);
  else if (done.notRevoked === undefined) print(`Signed out of ${shown}; its tokens were revoked.`);
  else {
    const who = done.issuer === undefined ? '' : ` at ${makeVisibleLine(done.issuer)}`;
    print(`Signed out of ${shown}: its tokens are gone from this machine.`);
    print(`They were not revoked${who}: ${makeVisibleLine(done.notRevoked)}.`);
  }
  return EXIT.done;
}

type FoundRemote =
  | { readonly ok: true; readonly host: Host; readonly server: RemoteServer }
  | { readonly ok: false; readonly reason: string };

async function findRemote(name: string, flags: LoginFlags): Promise<FoundRemote> {
  const host = nodeHost(await nodeHost(process.cwd()).files.realpath(process.cwd()));
  const { servers, reason } = await findConfigured(host, flags);
  const server = servers.find((one) => one.name === name);
  if (server === undefined) {
    const names = servers.flatMap(({ name: other, config }) => (isRemote(config) ? [makeVisibleLine(other)] : []));
    const known = names.length === 0 ? 'no remote server is configured' : `remote servers: ${names.join(', ')}`;
    return { ok: false, reason: reason(name) ?? `there is no MCP server ${JSON.stringify(name)}; ${known}` };
  }
  const { config } = server;
  if (!isRemote(config)) {
    return {
      ok: false,
      reason: `${makeVisibleLine(name)} is a ${config.kind} server: only http and sse servers have a sign-in`,
    };
  }
  return { ok: true, host, server: { name, config } };
}

type RemoteConfig = RemoteServer['config'];

function isRemote(config: ConfiguredServer['config']): config is RemoteConfig {
  return config.kind === 'http' || config.kind === 'sse';
}

type Configured = {
  readonly servers: readonly Pick<ConfiguredServer, 'name' | 'config'>[];
  /** Why a configured server may not be used. */
  readonly reason: (name: string) => string | undefined;
};

/** JOIN: stands in for `findServers` (src/config/mcp/find-servers.ts) until both are in one place. */
async function findConfigured(host: Host, _flags: LoginFlags): Promise<Configured> {
  const file = join(configDir(host.env), 'settings.json');
  const text = (await host.files.stat(file)) === undefined ? '{}' : (await host.files.read(file)).toString('utf8');
  const { mcpServers = {} } = JSON.parse(text) as { mcpServers?: Record<string, Record<string, unknown>> };
  const servers = Object.entries(mcpServers).map(([name, raw]) => {
    const remote = { headers: {}, ...raw, kind: raw.type };
    const stdio = { kind: 'stdio', command: raw.command, args: [], env: {} };
    return { name, config: (raw.url === undefined ? stdio : remote) as unknown as ConfiguredServer['config'] };
  });
  return { servers, reason: () => undefined };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function refuse(reason: string): number {
  process.stderr.write(`error: ${makeVisibleLine(reason)}\n`);
  return EXIT.usage;
}
