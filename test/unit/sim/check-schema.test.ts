/** Input schemas of tools that the API refuses. */

import { expect, it } from 'vitest';
import { checkRequest } from '../../../src/sim/checks/check-request.js';
import { requestOf, tool, user } from './ask.js';

function refusal(schema: object): string | undefined {
  const input_schema = { type: 'object', ...schema } as never;
  return checkRequest(requestOf([user('a')], { tools: [{ ...tool('t'), input_schema }] }))?.message;
}

const INVALID = /tools\.0\.custom\.input_schema: JSON schema is invalid\. It must match JSON Schema draft 2020-12/;

it.each([
  ['anyOf at the root', { anyOf: [{}] }, /does not support oneOf, allOf, or anyOf at the top level/],
  ['oneOf at the root', { oneOf: [{}] }, /at the top level/],
  ['allOf at the root', { allOf: [{}] }, /at the top level/],
  ['a property with a space', { properties: { 'a b': {} } }, /properties: Property keys should match pattern/],
  ['a long property', { properties: { ['a'.repeat(65)]: {} } }, /Property keys should match/],
  ['a type that is none', { properties: { a: { type: 'any' } } }, INVALID],
  ['a required that is no list', { properties: { a: { required: true } } }, INVALID],
  ['a tuple of older drafts', { properties: { a: { items: [{}] } } }, INVALID],
  ['an exclusive bound of older drafts', { properties: { a: { exclusiveMinimum: true } } }, INVALID],
  ['a combination that is no list', { properties: { a: { allOf: {} } } }, INVALID],
  ['an empty combination', { properties: { a: { anyOf: [] } } }, INVALID],
  ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/b' } } }, INVALID],
  ['properties that are no object', { properties: [] }, INVALID],
])('MC-17: %s is refused', (_, schema, words) => {
  expect(refusal(schema)).toMatch(words);
});

it.each([
  ['no properties', {}],
  ['nested combinations', { properties: { a: { anyOf: [{ type: 'string' }, { type: ['number', 'null'] }] } } }],
  ['nested names of any kind', { properties: { a: { properties: { 'b c': true } } } }],
  ['references', { properties: { a: { $ref: '#/$defs/b' }, c: { $ref: '#' } }, $defs: { b: {} } }],
  ['words of others', { properties: { a: { 'x-mine': [1], nullable: true } } }],
])('MC-17: %s is taken', (_, schema) => {
  expect(refusal(schema)).toBeUndefined();
});
