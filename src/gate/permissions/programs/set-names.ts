/** The variables that a builtin sets, or the reason why their names can't be told. */

import type { ShellWord } from '../shell/reading/shell-reading.js';

type Words = readonly ShellWord[];

/** `valued`: options with a value in the next word. */
export function setsNamed(valued: RegExp): (words: Words) => readonly string[] | string {
  return (words) => {
    const names: string[] = [];
    for (let at = 1; at < words.length; at += 1) {
      const value = words[at]?.value;
      if (value === undefined) return COMPUTED;
      if (!value.startsWith('-')) names.push(value);
      else if (valued.test(value)) at += 1;
    }
    return names;
  };
}

const COMPUTED = 'the name of a variable in it is computed';

/** Its assignments are judged with the others of the line. */
export function setsDeclared(words: Words): readonly string[] | string {
  const names: string[] = [];
  for (const { raw, value } of words.slice(1)) {
    // With -i the value is evaluated, which may run its content.
    if (/^[-+][aAlrtux]+$/.test(value ?? '')) continue;
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(raw)?.[1];
    if (name === undefined) return COMPUTED;
    names.push(name);
  }
  return names;
}

/** `printf -v name`. */
export function setsPrinted(words: Words): readonly string[] | string {
  return words[1]?.value === '-v' ? setsNamed(/^$/)(words.slice(1, 3)) : [];
}
