/** GT-4: what a rule keeps from being read does not reach the model as an instruction of the project either. */

import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../support/story.js';
import { converse, link, plant, RULES, WARNING } from './denied-instructions-stage.js';

const WAYS: readonly [string, (stage: Stage) => Promise<unknown>, number][] = [
  [
    'an import of CLAUDE.md',
    (stage) => stage.write('CLAUDE.md', 'Whistle. @./.env @secrets/key.md @node.pem @./lib/../.env'),
    4,
  ],
  [
    'an import of an import',
    async (stage) => {
      await stage.write('CLAUDE.md', 'Whistle. @docs/more.md');
      await stage.write('docs/more.md', 'More: @../secrets/key.md');
    },
    1,
  ],
  [
    'an import by a link',
    async (stage) => {
      await stage.write('CLAUDE.md', 'Whistle. @notes.md @open/key.md');
      await link(stage, '.env', 'notes.md');
      await link(stage, 'secrets', 'open');
    },
    2,
  ],
  ['a rule that is a link', (stage) => link(stage, '../../.env', '.claude/rules/a.md'), 1],
  [
    'a folder of rules that is a link',
    async (stage) => {
      await rmdir(join(stage.folder, '.claude', 'rules'));
      await link(stage, '../secrets', '.claude/rules');
    },
    1,
  ],
  ['CLAUDE.md that is a link', (stage) => link(stage, '.env', 'CLAUDE.md'), 1],
  ['AGENTS.md that is a link', (stage) => link(stage, 'node.pem', 'AGENTS.md'), 1],
  ['.claude/CLAUDE.md that is a link', (stage) => link(stage, '../secrets/key.md', '.claude/CLAUDE.md'), 1],
];

describe('a denied file as an instruction', () => {
  it.each(WAYS)('GT-4: %s: it is left out, with a warning', async (_way, prepare, warned) => {
    const stage = await plant();
    await prepare(stage);
    const { sent, warnings } = await converse(stage, { disallowedTools: RULES });
    expect(sent.includes('hunter2')).toBe(false);
    expect(warnings.filter((line) => WARNING.test(line))).toHaveLength(warned);
  });

  it('GT-4: nested instructions that come with a file: neither the file itself nor what it imports', async () => {
    const stage = await plant();
    await stage.write('lib/CLAUDE.md', 'Speak softly. @../.env');
    await link(stage, '../secrets/key.md', 'lib/CLAUDE.local.md');
    const { sent } = await converse(stage, { disallowedTools: RULES });
    expect(sent).toContain('Speak softly.');
    expect(sent.includes('hunter2')).toBe(false);
  });

  it('GT-4: without such a rule they are loaded: the tests above are no blank', async () => {
    const stage = await plant();
    await stage.write('CLAUDE.md', 'Whistle. @./.env');
    const { sent, warnings } = await converse(stage, { disallowedTools: ['Read(other/**)'] });
    expect(sent.includes('hunter2')).toBe(true);
    expect(warnings.filter((line) => WARNING.test(line))).toEqual([]);
  });
});
