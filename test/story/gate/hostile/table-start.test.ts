import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { setStage } from '../../../support/story.js';

type Plant = (stage: Stage, path: string) => Promise<void>;

const fifo: Plant = async (_stage, path) => void execFileSync('mkfifo', [path]);

beforeAll(buildProgram);

describe('a hostile tree at the start', () => {
  it('GT-32: config, doctor and agents get through the same trees', async () => {
    const stage = await setStage();
    await mkdir(join(stage.folder, '.claude', 'agents'), { recursive: true });
    for (const name of ['CLAUDE.md', '.claude/settings.json', '.claude/agents/x.md'])
      await fifo(stage, join(stage.folder, name));
    await symlink('/proc', join(stage.folder, '.claude', 'rules'));
    for (const args of [['config'], ['doctor'], ['agents'], ['permissions', 'test', 'ls'], ['sessions', 'list']]) {
      const end = await runProgram(args, stage.at);
      expect(end.signal, `${args.join(' ')}: ${end.stderr}`).toBe(null);
    }
  });
});
