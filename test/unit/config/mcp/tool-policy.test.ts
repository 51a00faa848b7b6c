/** What an entry says of single tools of its server. */

import { expect, it } from 'vitest';
import { readToolPolicy } from '../../../../src/config/mcp/tool-policy.js';

const one = (fields: object) => readToolPolicy([{ name: 't', ...fields }]);

it.each([
  [{ permission_policy: 'always_ask' }, 'ask'],
  [{ permission_policy: 'always_deny' }, 'deny'],
  [{ permission_policy: 'always_allow', org_max_permission: 'ask' }, 'ask'],
  [{ permission_policy: 'always_ask', org_max_permission: 'blocked' }, 'deny'],
  [{ org_max_permission: 'allow' }, undefined],
  [{}, undefined],
] as const)('CL-2: the stricter word of %j counts', (fields, expected) => {
  expect(one(fields)).toEqual({ ...(expected === undefined ? {} : { policy: { t: expected } }), warnings: [] });
});

it('CL-2: nothing permits, and what is not understood is reported', () => {
  expect(one({ permission_policy: 'always_allow' })).toEqual({
    warnings: [expect.stringContaining('has no effect')],
  });
  expect(one({ permission_policy: 'sometimes' }).warnings).toHaveLength(1);
  expect(readToolPolicy([7, null, { permission_policy: 'always_ask' }]).warnings).toHaveLength(3);
  expect(readToolPolicy('all').warnings).toHaveLength(1);
  expect(readToolPolicy(undefined)).toEqual({ warnings: [] });
});

it('CL-2: of two entries for one tool the denial stays; a name may be any word', () => {
  const tools = [
    { name: '__proto__', permission_policy: 'always_deny' },
    { name: 't', permission_policy: 'always_deny' },
    { name: 't', permission_policy: 'always_ask' },
  ];
  expect(Object.entries(readToolPolicy(tools).policy ?? {})).toEqual([
    ['__proto__', 'deny'],
    ['t', 'deny'],
  ]);
});
