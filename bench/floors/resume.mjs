/** The floor for resuming. `node resume.mjs <constant parts> <transcript> <prompt>` reads the file and sends a request. */

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { converse } from './converse.mjs';

const [, , file, transcript, prompt] = process.argv;
const template = JSON.parse(readFileSync(file, 'utf8'));
const handle = openSync(transcript, 'r');
const piece = Buffer.alloc(1024 * 1024);
let lines = 0;
for (let length = readSync(handle, piece); length > 0; length = readSync(handle, piece)) {
  for (let at = piece.indexOf(10); at >= 0 && at < length; at = piece.indexOf(10, at + 1)) lines += 1;
}
closeSync(handle);
await converse(template, [{ role: 'user', content: [{ type: 'text', text: `${prompt} (${lines})` }] }]);
