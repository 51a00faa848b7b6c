/** The label of an agent on the screen: one line, inert (TU-30). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';

/** Enough of an id to tell agents apart, and to name one in a command. */
const ID_CHARS = 4;

/** Words with single spaces: nearly every name, and nothing to clean. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Its name; without one its type and the beginning of its id. */
export function agentLabel({
  id,
  type,
  name,
}: {
  readonly id: string;
  readonly type: string;
  readonly name?: string | undefined;
}): string {
  const given = name === undefined ? '' : oneLine(name);
  if (given !== '') return given;
  return [oneLine(type), oneLine(id).slice(0, ID_CHARS)].filter((part) => part !== '').join('-');
}

/** Puts untrusted text on one line, without gaps that push the rest out of sight. */
export function oneLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return stripToLine(text).replace(/\s+/g, ' ').trim();
}
