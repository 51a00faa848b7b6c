import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';

it('ids sort by their creation, also within a millisecond', () => {
  const host = nodeHost('/');
  const ids = Array.from({ length: 5_000 }, () => host.newId());
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
