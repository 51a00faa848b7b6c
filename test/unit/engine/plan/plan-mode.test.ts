/** An acceptance is for one call and one text, and applies once (EX-15). */

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PlanMode } from '../../../../src/engine/plan/plan-mode.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';

const ACCEPTED = { call: 'c1', sha256: 'h1', isEdited: false, mode: 'acceptEdits' } as const;

function plans(folder = '/') {
  return new PlanMode(nodeHost(folder, { HOME: folder }), join(folder, 'plan.md'), async () => undefined);
}

it.each([
  ['the call and the text it was said to', 'c1', 'h1', ACCEPTED],
  ['another call', 'c2', 'h1', undefined],
  ['another text', 'c1', 'h2', undefined],
])('EX-15: for %s; afterwards it is used up', (_, call, sha256, expected) => {
  const mode = plans();
  mode.accept(ACCEPTED);
  expect(mode.take(call, sha256)).toEqual(expected);
  expect(mode.take('c1', 'h1')).toBeUndefined();
});

it('EX-4: the path of the plan has no link on the way to it', async () => {
  const folder = await scratchFolder();
  await mkdir(join(folder, 'real'));
  await symlink(join(folder, 'real'), join(folder, 'link'));
  expect(plans(join(folder, 'link')).file).toBe(join(folder, 'real', 'plan.md'));
});
