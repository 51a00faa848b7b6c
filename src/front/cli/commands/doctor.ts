/** `coppice doctor`: checks the machine; each check is ok or reports what to do. */

import { nodeHost } from '../../../host/node-host.js';
import { checkMachine, describeFinding } from '../../commands/doctor/check-machine.js';
import { EXIT } from '../exit-code.js';

export async function runDoctor(flags: { readonly json?: boolean }): Promise<number> {
  const findings = await checkMachine(nodeHost(process.cwd()), process.stdout);
  if (flags.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) process.stdout.write(`${describeFinding(finding)}\n`);
  return findings.some(({ state }) => state === 'problem') ? EXIT.error : EXIT.done;
}
