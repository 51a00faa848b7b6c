/** `/mcp`: lists, reconnects, disables and enables servers, and lists their prompts. */

import type { CommandResult } from '../../../engine/commands/command-results.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { CommandOf } from '../../../protocol/commands.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { Session } from '../../sdk/session.js';
import { describeServers } from '../../view/describe/describe-server-reports.js';

const USE = 'Use /mcp, /mcp reconnect [NAME], /mcp disable NAME, /mcp enable NAME or /mcp prompts.';

type Context = { readonly session: Session; readonly say: (line: string) => void };

export async function runMcp({ session, say }: Context, argument: string): Promise<void> {
  for (const line of await answer(session, argument)) say(stripControls(line));
}

async function answer(session: Session, argument: string): Promise<readonly string[]> {
  const [verb = '', ...rest] = argument.split(/\s+/).filter((word) => word !== '');
  const name = rest.join(' ');
  if (verb === '') return report(await session.execute({ type: 'servers' }));
  if (verb === 'reconnect') {
    return report(await session.execute({ type: 'reconnect-servers', ...(name === '' ? {} : { server: name }) }));
  }
  if ((verb === 'enable' || verb === 'disable') && name !== '') {
    return report(await session.execute({ type: 'toggle-server', server: name, enabled: verb === 'enable' }));
  }
  if (verb !== 'prompts' || name !== '') return [USE];
  const listed = await session.execute({ type: 'server-prompts' });
  if (!listed.ok) return [listed.reason];
  if (listed.prompts.length === 0) return ['No connected server offers a prompt.'];
  return listed.prompts.map(({ name: command, description, arguments: takes }) => {
    const usage = takes.map((one) => (one.required ? ` ${one.name}` : ` [${one.name}]`)).join('');
    return escapeToLine(`/${command}${usage}${description === undefined ? '' : `  ${description}`}`);
  });
}

type Reported = CommandResult<CommandOf<'servers'>>;

function report(reported: Reported): readonly string[] {
  return reported.ok ? describeServers(reported.servers) : [reported.reason];
}
