/** A schema is the person's and a value the model's: none of them may stop the program. */

import { describe, expect, it } from 'vitest';
import { readOutputSchema } from '../../../../src/tools/output/output-schema.js';

function read(schema: unknown) {
  const found = readOutputSchema(schema);
  if (!found.ok) throw new Error(found.reason);
  return found;
}

describe('a value is checked within limits', () => {
  it('CL-2 CL-6: a pattern that takes for ever on its text', () => {
    const schema = read({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    expect(schema.problemOf({ a: `${'a'.repeat(60)}!` })).toContain('could not be checked within 1 s');
    expect(schema.problemOf({ a: 'aaa' })).toBeUndefined();
  });

  it('CL-2 CL-6: one that is nested deeper than the validator goes', () => {
    const schema = read({ type: 'object', properties: { next: { $ref: '#' } } });
    let value = {};
    for (let level = 0; level < 50_000; level += 1) value = { next: value };
    expect(schema.problemOf(value)).toBe('it is nested too deeply to be checked');
  });
});

describe('what is declared where the value is wrapped', () => {
  it('CL-2: properties that are called like keywords are schemas all the same', () => {
    const { declared } = read({
      $defs: { part: { type: 'string' } },
      type: 'array',
      items: { type: 'object', properties: { default: { $ref: '#/$defs/part' }, $ref: { type: 'string' } } },
      default: [{ $ref: '#/stays' }],
    });
    const text = JSON.stringify(declared);
    expect(text).toContain('"default":{"$ref":"#/properties/value/$defs/part"}');
    expect(text).toContain('"default":[{"$ref":"#/stays"}]');
  });
});
