/** Every redirection of bash, onto something harmless or something that matters. */

import { readablePath, targetPath } from './paths.mjs';
import { spell } from './words.mjs';

const WRITING = [
  '>',
  '>>',
  '>|',
  '&>',
  '&>>',
  '>&',
  '<>',
  '1>',
  '2>',
  '2>>',
  '3>',
  '9>>',
  '1>|',
  '3<>',
  '{fd}>',
  '{fd}>>',
];
const READING = ['<', '0<', '3<', '<', '{fd}<', '4<', '<&'];
const DUPLICATING = [
  '2>&1',
  '>&2',
  '1>&2',
  '3>&1',
  '<&0',
  '0<&0',
  '2>&-',
  '<&-',
  '3>&1 4>&2',
  '2>&1 1>/dev/null',
  '>&-',
];
const BODIES = ['<<E', '<<-E', "<<'E'", '<<"E"', '<<\\E', '3<<E'];

/** `body` is what a here-document reads; it follows the line. */
export function redirect(random, { dangerous, oddWord, inner }) {
  const kind = random.weigh([
    [dangerous ? 10 : 6, 'write'],
    [6, 'read'],
    [dangerous ? 1 : 4, 'duplicate'],
    [2, 'here-document'],
    [2, 'here-string'],
    [1, 'process'],
  ]);
  switch (kind) {
    case 'write':
      return onto(random, random.pick(WRITING), targetPath(random, dangerous), oddWord);
    case 'read':
      return onto(random, random.pick(READING), readablePath(random, dangerous), oddWord);
    case 'duplicate': {
      const text = random.pick(DUPLICATING);
      return { text, tag: `redirect: ${text}` };
    }
    case 'here-document': {
      const operator = random.pick(BODIES);
      const body = oddWord || dangerous ? `$(${inner()})` : 'some text';
      return { text: operator, body: `${body}\nE`, tag: `redirect: ${operator}` };
    }
    case 'here-string':
      return { text: oddWord || dangerous ? `<<< "$(${inner()})"` : '<<< text', tag: 'redirect: <<<' };
    default:
      return random.chance(0.5)
        ? { text: `< <(${inner()})`, tag: 'redirect: < <()' }
        : { text: `> >(${inner()})`, tag: 'redirect: > >()' };
  }
}

function onto(random, operator, path, oddWord) {
  const word = spell(random, path, oddWord);
  const space = random.chance(0.5) ? ' ' : '';
  return { ...word, text: `${operator}${space}${word.text}`, tag: `redirect: ${operator}` };
}

export const REDIRECTIONS = [...new Set([...WRITING, ...READING, ...DUPLICATING, ...BODIES, '<<<', '< <()', '> >()'])];
