/** `coppice mcp login` and `logout`, with their help. What they do is loaded when one runs. */

import type { Command } from 'commander';

export function addLoginCommands(mcp: Command, setExit: (code: number) => void): void {
  const load = () => import('./run-login.js');
  const add = (use: string, description: string, example: string) =>
    mcp.command(use).description(description).addHelpText('after', `\nExample:\n  ${example}`).exitOverride();

  add('login <name>', 'sign in to a remote server, in the browser', 'coppice mcp login sentry --no-browser')
    .option('--no-browser', 'print the address instead of opening it; the address you end up at can be pasted')
    .option('--trust', 'as if the folder were trusted')
    .action(async (name, options) => setExit(await (await load()).runMcpLogin(name, options)));
  add('logout <name>', 'sign out of a remote server, and forget its tokens', 'coppice mcp logout sentry')
    .option('--trust', 'as if the folder were trusted')
    .action(async (name, options) => setExit(await (await load()).runMcpLogout(name, options)));
}
