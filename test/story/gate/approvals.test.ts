/** Hooks of a project's files in a trusted folder: they run exactly as they were approved, or not at all (GT-3). */

import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, setStage } from '../../support/story.js';
import { agentCall, agentFile, begin, inProject, mainResults, script } from '../agents/agents-script.js';
import {
  approveAll,
  bash,
  exists,
  hook,
  isHooked,
  MARK,
  notApproved,
  onCall,
  read,
  run,
  trust,
  write,
} from './approvals-stage.js';

describe('GT-3: an approval on record', () => {
  it('GT-3: without one no hook of a trusted folder runs, with one line that shows what to do; with it, it runs', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(MARK)));
    await trust(stage);
    const lines = await run(stage);
    expect(lines).toEqual([expect.stringMatching(/1 hook of this project .*PreToolUse.*in a terminal.*--trust/s)]);
    expect(await isHooked(stage)).toBe(false);
    await approveAll(stage);
    expect(await run(stage)).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
  });

  it('GT-3: settings.local.json is in the project’s folder: a repository can ship one, so it needs approval too', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.local.json', onCall(hook(MARK)));
    await trust(stage);
    expect(await run(stage)).toHaveLength(1);
    expect(await isHooked(stage)).toBe(false);
  });

  it('GT-3: --trust and trust: true approve what is there for this run, and store nothing', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(MARK)));
    expect(await run(stage, { trust: true })).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
    expect(await exists(join(stage.home, '.coppice', 'trust.json'))).toBe(false);
  });

  it('GT-3: hooks of the user’s own settings need no approval', async () => {
    const stage = await setStage();
    await stage.settings(JSON.parse(onCall(hook(MARK))));
    await trust(stage);
    expect(await run(stage)).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
  });
});

describe('GT-3: the script behind a hook', () => {
  it.each([{}, { trust: true }])(
    'GT-3: %o: an agent that rewrites the script can’t make the hook run it, nor get past the hook',
    async (options) => {
      const stage = await setStage();
      const path = await stage.write('scripts/guard.sh', 'exit 0\n');
      await stage.write('.claude/settings.json', onCall(hook('sh scripts/guard.sh')));
      await trust(stage);
      await approveAll(stage);
      const evil = write(path, 'touch "$CLAUDE_PROJECT_DIR/evil"\n');
      stage.sim.use(script({ main: [[bash('ls'), read(path)], [evil], [bash('ls')], 'done'] }));
      const session = await stage.open({ ...options, permissionMode: 'acceptEdits' });
      await session.send(begin());
      expect(mainResults(stage, 2).map(({ isError }) => isError)).toEqual([false, false]);
      expect(mainResults(stage, 3)[0]?.isError).toBe(false);
      expect(mainResults(stage, 4)[0]).toMatchObject({
        isError: true,
        text: expect.stringContaining('scripts/guard.sh changed since this hook was approved'),
      });
      expect(await exists(join(stage.folder, 'evil'))).toBe(false);
    },
  );

  it('GT-3: a script that comes later, or a link that leads elsewhere now, is a change as well', async () => {
    const stage = await setStage();
    await stage.write('one.sh', 'exit 0\n');
    await stage.write('two.sh', 'touch "$CLAUDE_PROJECT_DIR/evil"\n');
    await symlink('one.sh', join(stage.folder, 'link.sh'));
    await stage.write('.claude/settings.json', onCall(hook('sh link.sh; test -e late.sh && sh late.sh; true')));
    await trust(stage);
    await approveAll(stage);
    expect(await run(stage)).toEqual([]);
    await stage.write('late.sh', 'touch "$CLAUDE_PROJECT_DIR/evil"\n');
    expect(await run(stage)).toHaveLength(1);
    await rm(join(stage.folder, 'late.sh'));
    expect(await run(stage)).toEqual([]);
    await rm(join(stage.folder, 'link.sh'));
    await symlink('two.sh', join(stage.folder, 'link.sh'));
    expect(await run(stage)).toHaveLength(1);
    expect(await exists(join(stage.folder, 'evil'))).toBe(false);
  });
});

describe('GT-3: hooks of agents', () => {
  const withHook = (command: string) =>
    agentFile(
      { name: 'helper', description: 'helps', hooks: { PreToolUse: [{ hooks: [hook(command)] }] } },
      'HELPER you help.',
    );

  it('GT-3: front-matter hooks of a project’s agent need approval; they are approved for that agent alone', async () => {
    const stage = await setStage();
    await stage.write(inProject('helper'), withHook(MARK));
    await trust(stage);
    const delegate = async () => {
      stage.sim.use(
        script({ main: [[agentCall('HELP', { subagent_type: 'helper' })], 'ok'], HELP: [[bash('ls')], 'done'] }),
      );
      const session = await stage.open();
      await session.send(begin());
      await session.close();
      return notApproved(session.warnings);
    };
    expect(await delegate()).toEqual([expect.stringContaining('.claude/agents/helper.md')]);
    expect(await isHooked(stage)).toBe(false);
    await approveAll(stage);
    expect(await delegate()).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
    // The same hook, for the whole session: not what was approved.
    await stage.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook(MARK)] }] } }));
    expect(await delegate()).toHaveLength(1);
  });

  it.each([{}, { trust: true }])(
    'GT-3: %o: a definition that changes while the session runs brings no hook in unseen, and it is reported',
    async (options) => {
      const stage = await setStage();
      await stage.write(inProject('helper'), agentFile({ name: 'helper', description: 'helps' }, 'HELPER you help.'));
      await trust(stage);
      const help = agentCall('HELP', { subagent_type: 'helper' });
      stage.sim.use(script({ main: ['ready', 'still', [help], 'ok'], HELP: [[bash('ls')], 'done'] }));
      const session = await stage.open(options);
      await session.send(begin());
      await session.send('again');
      await stage.write(inProject('helper'), withHook(MARK));
      await session.send('now');
      expect(await isHooked(stage)).toBe(false);
      const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
      expect(notApproved(lines)).toEqual([expect.stringContaining('.claude/agents/helper.md')]);
    },
  );
});

describe('GT-3: a hostile number and size', () => {
  it('GT-3: a hook that nobody could read can’t be approved', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(`${MARK} ${'# padding '.repeat(1_000)}`)));
    await trust(stage);
    await approveAll(stage);
    expect(await run(stage)).toHaveLength(1);
    expect(await isHooked(stage)).toBe(false);
  });
});
