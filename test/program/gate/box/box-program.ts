/** A process of ours that runs a script in the reading profile in a project, and prints what it printed. */

import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { nodeHost } from '../../../../src/host/node-host.js';

const [project = '', script = ''] = process.argv.slice(2);
const host = nodeHost(project);
const box = createSandbox({ host, trusted: true, roots: [project] });
const prepared = await box.prepare({ roots: [project], readRoots: [], denied: [], fixed: [], wide: false });
if (!prepared.ok) throw new Error(prepared.reason);
const command = { file: 'bash', args: ['-c', script], cwd: project, env: host.env };
const confined = await box.confine(command, { kind: 'reading', show: [] }, { roots: [project], view: prepared.view });
if (!confined.ok) throw new Error(confined.reason);
const running = host.processes.start(confined.command);
running.stdout.pipe(process.stdout);
running.stderr.pipe(process.stderr);
process.exitCode = (await running.exit).code ?? 1;
