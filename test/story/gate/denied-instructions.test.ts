/** GT-4: what a rule keeps from being read does not reach the model as an instruction of the project either. */

import { mkdir, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { type Stage, setStage } from '../../support/story.js';

const SECRET = 'TOKEN=hunter2';
const WARNING = /a permission rule denies reading it or asks about it/;

async function plant(): Promise<Stage> {
  const stage = await setStage();
  await stage.write('.env', SECRET);
  await stage.write('secrets/key.md', SECRET);
  await stage.write('node.pem', SECRET);
  await stage.write('lib/x.txt', 'content');
  await mkdir(join(stage.folder, '.claude', 'rules'), { recursive: true });
  return stage;
}

/** What the model got, and what the person was told. */
async function converse(stage: Stage, options: SessionOptions) {
  stage.sim.use([
    { when: { nth: 1 }, reply: () => [{ tool: 'Read', input: { file_path: `${stage.folder}/lib/x.txt` } }] },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({ trust: true, ...options });
  await session.send('read it');
  expect(stage.sim.requests).toHaveLength(2);
  return { sent: stage.sim.requests.map(({ raw }) => raw.toString('utf8')).join('\n'), warnings: session.warnings };
}

const RULES = ['Read(.env)', 'Read(secrets/**)', 'Read(*.pem)'];
const link = (stage: Stage, target: string, name: string) => symlink(target, join(stage.folder, name));

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

  it('GT-4: rules of settings count too, also those that only ask, and the person can not import it either', async () => {
    for (const behavior of ['deny', 'ask']) {
      const stage = await plant();
      await stage.settings({ permissions: { [behavior]: RULES } });
      await stage.write('CLAUDE.md', 'Whistle. @./.env');
      await link(stage, '../../secrets/key.md', '.claude/rules/a.md');
      await stage.write('../home/.claude/CLAUDE.md', `Hum. @${stage.folder}/node.pem`);
      const { sent, warnings } = await converse(stage, {});
      expect(sent).toContain('Whistle.');
      expect(sent).toContain('Hum.');
      expect(sent.includes('hunter2'), behavior).toBe(false);
      expect(warnings.filter((line) => WARNING.test(line))).toHaveLength(3);
    }
  });

  it('GT-4: a rule about a path through a link counts for the folder it leads to', async () => {
    const stage = await plant();
    await link(stage, 'secrets', 'open');
    await stage.write('CLAUDE.md', 'Whistle. @secrets/key.md');
    const { sent } = await converse(stage, { disallowedTools: ['Read(open/**)'] });
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
