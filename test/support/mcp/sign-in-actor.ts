/** A person who signs in, with a browser that does what it is told to. */

import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { RemoteServer } from '../../../src/tools/mcp/oauth/remote-server.js';
import { type SignInOptions, signIn } from '../../../src/tools/mcp/oauth/sign-in.js';
import { scratchFolder } from '../scratch.js';

export async function makeHost(env: Record<string, string> = {}): Promise<Host> {
  const home = await scratchFolder();
  return nodeHost(home, { HOME: home, PATH: process.env.PATH, ...env });
}

export function remote(url: string, config: Partial<RemoteServer['config']> = {}, name = 'guarded'): RemoteServer {
  return { name, config: { kind: 'http', url, headers: {}, ...config } };
}

export type Page = { readonly status: number; readonly text: string };

/** Goes to an address and where it leads. */
export async function browse(url: URL | string): Promise<Page> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

export type ActedSignIn = Partial<SignInOptions> & { readonly server: RemoteServer; readonly host: Host };

/** With a browser that signs in at once, unless told otherwise. */
export async function act(options: ActedSignIn) {
  const pages: Page[] = [];
  const told: string[] = [];
  const visited: URL[] = [];
  const outcome = await signIn({
    signal: new AbortController().signal,
    print: (line) => told.push(line),
    visit: async (url) => {
      visited.push(url);
      // The page comes when the sign-in is complete.
      void browse(url).then((page) => pages.push(page));
    },
    nextPasted: async () => undefined,
    askSecret: async () => undefined,
    ...options,
  });
  return { outcome, pages, told, visited };
}
