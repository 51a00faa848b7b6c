/** A process of ours that runs a script in the reading box of a project, and prints what it printed. */

import { createReadingBox } from '../../../../src/gate/box/create-box.js';
import { nodeHost } from '../../../../src/host/node-host.js';

const [project = '', script = ''] = process.argv.slice(2);
const host = nodeHost(project);
const box = createReadingBox({ host, mode: 'auto', trusted: true, roots: [project] });
const prepared = await box.prepare({ roots: [project], readRoots: [], denied: [] });
if (!prepared.ok) throw new Error(prepared.reason);
const command = { file: 'bash', args: ['-c', script], cwd: project, env: host.env };
const confined = await box.confine(command, prepared.box, []);
if (!confined.ok) throw new Error(confined.reason);
const running = host.processes.start(confined.command);
running.stdout.pipe(process.stdout);
running.stderr.pipe(process.stderr);
process.exitCode = (await running.exit).code ?? 1;
