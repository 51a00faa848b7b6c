/** A process of ours that is killed in mid-run: starts a sandboxed command that would go on for long. */

import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { nodeHost } from '../../../../src/host/node-host.js';

const project = process.argv[2] ?? '';
const host = nodeHost(project);
const sandbox = createSandbox({ host, roots: [project] });
const command = {
  file: 'bash',
  args: ['-c', 'echo x > .bashrc; touch started; sleep 987.3'],
  cwd: project,
  env: host.env,
};
const confined = await sandbox.confine(command, { kind: 'sandboxed', grant: {} }, { roots: [project] });
if (confined.ok) await host.processes.run(confined.command);
