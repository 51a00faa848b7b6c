/** `/doctor`: checks the machine from within a session, in its folder. */

import { nodeHost } from '../../../host/node-host.js';
import type { CommandContext } from '../command-context.js';
import { checkMachine, describeFinding } from '../doctor/check-machine.js';

export async function showDoctor({ session, say }: Pick<CommandContext, 'session' | 'say'>): Promise<void> {
  for (const finding of await checkMachine(nodeHost(session.cwd), process.stdout)) say(describeFinding(finding));
}
