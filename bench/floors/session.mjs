/** The floor for a session. `node session.mjs <file with the constant parts of a request> <prompt>` */

import { readFileSync } from 'node:fs';
import { converse } from './converse.mjs';

const [, , file, prompt] = process.argv;
const template = JSON.parse(readFileSync(file, 'utf8'));
console.log(await converse(template, [{ role: 'user', content: [{ type: 'text', text: prompt }] }]));
