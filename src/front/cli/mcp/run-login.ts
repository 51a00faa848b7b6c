/** `coppice mcp login` and `coppice mcp logout`: sign in to and out of remote MCP servers (MC-8, MC-24). */

import { findServers } from '../../../config/mcp/find-servers.js';
import { openBrowser } from '../../../host/callback/open-browser.js';
import { newAbort } from '../../../host/clock.js';
import { type Host, withEnvironment } from '../../../host/host.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { isRemote, type RemoteServer } from '../../../tools/mcp/oauth/remote-server.js';
import { signIn } from '../../../tools/mcp/oauth/sign-in.js';
import { signOut } from '../../../tools/mcp/oauth/sign-out.js';
import { EXIT, exitOf } from '../exit-code.js';
import { onSignals } from '../on-signals.js';
import { inFolder } from './folder-servers.js';
import { askHidden, openPastedLines } from './login-terminal.js';

export type LoginFlags = { readonly browser?: boolean; readonly trust?: boolean };

export function runMcpLogin(name: string, flags: LoginFlags): Promise<number> {
  return withRemote(name, flags, (host, server) => login(host, server, flags));
}

async function login(host: Host, server: RemoteServer, flags: LoginFlags): Promise<number> {
  const { name } = server;
  const stop = newAbort();
  const interrupt = () => stop.abort();
  const signals = onSignals(interrupt);
  const pasted = openPastedLines('Or paste the URL you end up at: ', interrupt);
  try {
    const outcome = await signIn({
      server,
      host,
      signal: stop.signal,
      print: print,
      visit: (url, redirectUrl, signal) => visit(host, { url, redirectUrl, signal, mayOpen: flags.browser !== false }),
      nextPasted: (signal) => pasted.next(signal),
      askSecret: (question) => askHidden(visible(question), interrupt),
    });
    pasted.close();
    if (!outcome.ok) {
      process.stderr.write(`error: ${visible(outcome.reason)}\n`);
      return outcome.kind === 'cancelled' ? exitOf(signals.received() ?? 'SIGINT') : EXIT.error;
    }
    print(`Signed in to ${visible(name)} (${visible(outcome.issuer)}).`);
    if (outcome.scope !== undefined) print(`Scopes: ${visible(outcome.scope)}`);
    if (!outcome.isRenewable)
      print('The server issued no refresh token: you will have to sign in again when the token expires.');
    if (outcome.setAside !== undefined)
      print(`An earlier sign-in could not be read; its file was moved to ${visible(outcome.setAside)}.`);
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

/** Prints the URL before opening a browser, which may take a while or open where nobody sees it. */
async function visit(host: Host, { url, redirectUrl, signal, mayOpen }: Visit): Promise<void> {
  print(
    mayOpen ? 'Opening a browser. If none appears, open this URL yourself:' : 'Open this URL in a browser and sign in:',
  );
  print(`\n  ${url.href}\n`);
  if (mayOpen && (await openBrowser(host, url, signal))) return;
  if (signal.aborted) return;
  if (mayOpen) print('No browser could be opened.');
  print(
    `After the sign-in the browser goes to ${redirectUrl}. On another machine it shows an error there: copy the whole URL from its address bar and paste it here.`,
  );
}

export function runMcpLogout(name: string, flags: LoginFlags): Promise<number> {
  return withRemote(name, flags, logout);
}

async function logout(host: Host, server: RemoteServer): Promise<number> {
  const { name } = server;
  const stop = newAbort();
  const signals = onSignals(() => stop.abort());
  const done = await signOut({ host, server, signal: stop.signal }).finally(() => signals.stop());
  const shown = visible(name);
  if (!done.ok) {
    process.stderr.write(`error: ${visible(done.reason)}\n`);
    return EXIT.error;
  }
  if (done.kind === 'not-signed-in') print(`You were not signed in to ${shown}.`);
  else if (done.notRevoked === undefined) print(`Signed out of ${shown}; its tokens were revoked.`);
  else {
    const who = done.issuer === undefined ? '' : ` at ${visible(done.issuer)}`;
    print(`Signed out of ${shown}: its tokens were deleted from this machine.`);
    print(`They were not revoked${who}: ${visible(done.notRevoked)}.`);
  }
  return EXIT.done;
}

type Work = (host: Host, server: RemoteServer) => Promise<number>;

/** Runs `work` with a remote server that may run; others are never contacted. */
function withRemote(name: string, { trust = false }: LoginFlags, work: Work): Promise<number> {
  return inFolder(
    async (query) => {
      const { servers, skipped } = await findServers(query);
      const server = servers.find((one) => one.name === name);
      if (server !== undefined && isRemote(server))
        return work(withEnvironment(query.host, query.ownEnv ?? query.host.env), server);
      if (server !== undefined) {
        return refuse(`${visible(name)} is a ${server.config.kind} server: only http and sse servers have a sign-in`);
      }
      const why = skipped.find((one) => one.name === name)?.reason;
      if (why !== undefined) return refuse(`can't use ${visible(name)}: ${visible(why)}`);
      const names = servers.filter(isRemote).map((one) => visible(one.name));
      const known = names.length === 0 ? 'no remote server is configured' : `remote servers: ${names.join(', ')}`;
      return refuse(`no MCP server ${JSON.stringify(name)}; ${known}`);
    },
    { trust },
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function refuse(reason: string): number {
  process.stderr.write(`error: ${visible(reason)}\n`);
  return EXIT.usage;
}
