/** A process for the lock's tests: takes the lock in argv[2], reports the result, and waits to be ended. */

import { takeLock } from '../../../../src/host/locks/lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';

const [, , path = '', mode = 'hold'] = process.argv;
const attempt = await takeLock(nodeHost('/'), path);
process.stdout.write(`${attempt.ok ? 'taken' : attempt.kind}\n`);
if (attempt.ok && mode === 'release') await attempt.lock.release();
else if (attempt.ok) setInterval(() => {}, 1000);
