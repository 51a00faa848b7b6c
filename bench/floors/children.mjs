/** The floor for delegation: children are conversations that start from a copy of their parent's messages, in parallel. */

import { readFileSync } from 'node:fs';
import { converse, readFiles } from './converse.mjs';

const [, , file, prompt] = process.argv;
const template = JSON.parse(readFileSync(file, 'utf8'));
const messages = [{ role: 'user', content: [{ type: 'text', text: prompt }] }];
console.log(
  await converse(template, messages, (calls) => (calls[0].name === 'Agent' ? fork(calls) : readFiles(calls))),
);

function fork(calls) {
  const placeholders = calls.map(({ id }) => result(id, 'Fork started — processing in background'));
  return Promise.all(
    calls.map(async ({ id, input }) => {
      const first = { role: 'user', content: [...placeholders, { type: 'text', text: input.prompt }] };
      return result(id, await converse(template, [...messages, first]));
    }),
  );
}

function result(id, text) {
  return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] };
}
