/** In acceptEdits file commands run unasked in a whole session, and a rewind brings back what they deleted or overwrote (GT-36). */

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { eventsOf, setStage } from '../../../support/story.js';
import { begin, mainResults, script } from '../../agents/agents-script.js';
import { snapshot } from '../../durability/rewind/command-stage.js';

const LINES = [
  'rm a.txt',
  'rm -rf tree',
  'mv b.txt c.txt',
  "sed -i 's/three/four/' d.txt",
  'echo over > e.txt',
  'echo more >> e.txt',
  'printf "%s\\n" x | tee f.txt > /dev/null',
  'cp d.txt g.txt && chmod 600 d.txt',
  'mkdir -p new/deep && touch new/deep/x && ln -s d.txt link',
  'for f in h1 h2; do rm $f.txt; done',
];

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it('GT-36, DU-23: rm, mv, sed -i, >, cp, chmod, tee and the like: all back', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    for (const name of ['a', 'b', 'd', 'e', 'f', 'g', 'h1', 'h2']) await stage.write(`${name}.txt`, `three ${name}\n`);
    await stage.write('tree/sub/x.txt', 'x\n');
    await mkdir(join(stage.folder, 'tree/empty'));
    await symlink('sub/x.txt', join(stage.folder, 'tree/link'));
    const before = snapshot(stage.folder);
    stage.sim.use(script({ main: [...LINES.map((command) => [{ tool: 'Bash', input: { command } }]), 'done'] }));
    const session = await stage.open({ permissionMode: 'acceptEdits', maxTurns: 20 });
    await session.send(begin());
    const denied = LINES.filter((_, index) => mainResults(stage, index + 2)[0]?.isError !== false);
    expect(denied).toEqual([]);
    expect(eventsOf(stage, 'permission-answered')).toEqual([]);
    const after = snapshot(stage.folder);
    for (const name of ['a.txt', 'tree', 'b.txt', 'h1.txt', 'h2.txt']) expect(after).not.toHaveProperty([name]);
    expect(after['d.txt']).toBe('600 four d\n');
    expect(after['e.txt']).toMatch(/over\nmore\n$/);
    expect(await session.rewind({ to: 1, part: 'files' })).toMatchObject({ ok: true, left: [] });
    expect(snapshot(stage.folder)).toEqual(before);
  });
});
