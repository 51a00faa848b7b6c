/** The fields of a skill and of a command (EX-8). Spellings differ in case, `-` and `_` only. */

import { type FieldDescription, squeezed } from '../definitions/definition-fields.js';

const SKILL_FIELD_NAMES = [
  'name',
  'description',
  'whenToUse',
  'argumentHint',
  'arguments',
  'disableModelInvocation',
  'userInvocable',
  'allowedTools',
  'disallowedTools',
  'model',
  'effort',
  'context',
  'agent',
  'background',
  'hooks',
  'paths',
  'shell',
] as const;

export type SkillField = (typeof SKILL_FIELD_NAMES)[number];

const SPELLINGS: ReadonlyMap<string, SkillField> = new Map(SKILL_FIELD_NAMES.map((field) => [squeezed(field), field]));

export function skillFieldNamed(key: string): SkillField | undefined {
  return SPELLINGS.get(squeezed(key));
}

export const SKILL_FIELDS: FieldDescription = {
  named: skillFieldNamed,
  texts: new Set<SkillField>([
    'name',
    'description',
    'whenToUse',
    'argumentHint',
    'model',
    'effort',
    'context',
    'agent',
    'shell',
  ]),
  structures: new Set<SkillField>(['hooks']),
};

/** The field that a key probably means. Custom fields (`license`, `version`) are common and are not misspellings. */
export function misspeltField(key: string): SkillField | undefined {
  const wanted = squeezed(key);
  for (const [spelling, field] of SPELLINGS) if (isSlip(wanted, spelling)) return field;
  return undefined;
}

/** The field's name as in the documentation. */
export function writtenField(field: SkillField): string {
  return field === 'whenToUse' ? 'when_to_use' : field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** True if they differ in one place: by a letter or two swapped letters, and in a long word by two letters. */
function isSlip(one: string, other: string): boolean {
  if (one.length < 4) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let end = 0;
  const most = Math.min(one.length, other.length) - from;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(from, one.length - end), other.slice(from, other.length - end)];
  const longer = Math.max(left.length, right.length);
  return longer < 2 || (longer === 2 && (one.length > 8 || left === [...right].toReversed().join('')));
}
