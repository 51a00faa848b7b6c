/** Hooks of a project's files in a trusted folder: they run exactly as they were approved, or not at all (GT-3). */

import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalOf } from '../../../src/config/approvals/project-hooks.js';
import { openTrust } from '../../../src/config/trust.js';
import { findHooksHere } from '../../../src/front/cli/find-hooks.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';
import { agentCall, agentFile, begin, inProject, mainResults, script } from '../agents/agents-script.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (path: string, content: string) => ({ tool: 'Write', input: { file_path: path, content } });
const read = (path: string) => ({ tool: 'Read', input: { file_path: path } });
const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const onCall = (...hooks: object[]) => JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });

const host = (stage: Stage) => nodeHost(stage.folder, stage.env);

/** The folder is trusted, as by versions that knew no approvals. */
async function trust(stage: Stage): Promise<void> {
  await openTrust(host(stage)).trust(stage.folder);
}

/** What a yes at the terminal stores: every hook that is there now. */
async function approveAll(stage: Stage): Promise<void> {
  const folder = stage.folder;
  const { hooks } = await findHooksHere({ host: host(stage), folder, projectRoot: folder, isTrusted: true });
  await openTrust(host(stage)).approve(folder, hooks.map(approvalOf));
}

const MARK = 'touch "$CLAUDE_PROJECT_DIR/hooked"';

const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );
const isHooked = (stage: Stage) => exists(join(stage.folder, 'hooked'));
const notApproved = (lines: readonly string[]) => lines.filter((line) => line.includes('not approved'));

/** One prompt with one call, and the lines about hooks that don't run. */
async function run(stage: Stage, options: Parameters<Stage['open']>[0] = {}): Promise<readonly string[]> {
  stage.sim.use(script({ main: [[bash('ls')], 'done'] }));
  const session = await stage.open(options);
  await session.send(begin());
  await session.close();
  return notApproved(session.warnings);
}

describe('GT-3: an approval on record', () => {
  it('GT-3: without one no hook of a trusted folder runs, with one line that says what to do; with it, it runs', async () => {
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

  it.each([
    ['the command', onCall(hook(`${MARK} ; true`))],
    ['the matcher', JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [hook(MARK)] }] } })],
    ['the event', JSON.stringify({ hooks: { SessionStart: [{ matcher: 'Bash', hooks: [hook(MARK)] }] } })],
    ['the time limit', onCall(hook(MARK, { timeout: 5 }))],
    ['arguments', onCall(hook('touch', { args: ['hooked'] }))],
    ['a condition', onCall(hook(MARK, { if: 'Bash(ls)' }))],
    ['a key that means nothing yet', onCall(hook(MARK, { shell: '/bin/zsh' }))],
    ['a second one', onCall(hook(MARK), hook('touch "$CLAUDE_PROJECT_DIR/second"'))],
  ])('GT-3: a change of %s is another hook, which nobody approved', async (what, changed) => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(MARK)));
    await trust(stage);
    await approveAll(stage);
    await stage.write('.claude/settings.json', changed);
    expect(await run(stage)).toHaveLength(1);
    expect(await isHooked(stage)).toBe(what === 'a second one');
    expect(await exists(join(stage.folder, 'second'))).toBe(false);
  });

  it('GT-3: the order of keys and a copy of the same hook change nothing', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(MARK, { timeout: 9 })));
    await trust(stage);
    await approveAll(stage);
    const same = { timeout: 9, command: MARK, type: 'command' };
    await stage.write('.claude/settings.json', onCall(same, hook(MARK, { timeout: 9 })));
    expect(await run(stage)).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
  });

  it('GT-3: of a key written twice, what is approved is what runs', async () => {
    const stage = await setStage();
    const twice = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "command": ${JSON.stringify(MARK)}}]}]}}`;
    await stage.write('.claude/settings.json', onCall(hook('true')));
    await trust(stage);
    await approveAll(stage);
    await stage.write('.claude/settings.json', twice);
    expect(await run(stage)).toHaveLength(1);
    expect(await isHooked(stage)).toBe(false);
  });

  it('GT-3: a file of the repository that looks like our record approves nothing', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(MARK)));
    await trust(stage);
    await approveAll(stage);
    const record = await readFile(join(stage.home, '.coppice', 'trust.json'), 'utf8');
    await writeFile(
      join(stage.home, '.coppice', 'trust.json'),
      JSON.stringify({ version: 1, folders: {}, approvals: {} }),
    );
    for (const name of ['trust.json', '.coppice/trust.json', '.claude/trust.json', '.claude/approvals.json'])
      await stage.write(name, record);
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

  it('GT-3: hooks of the person’s own settings need no approval', async () => {
    const stage = await setStage();
    await stage.settings(JSON.parse(onCall(hook(MARK))));
    await trust(stage);
    expect(await run(stage)).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
  });
});

describe('GT-3: the script behind a hook', () => {
  const SCRIPT = '#!/bin/sh\ntouch "$CLAUDE_PROJECT_DIR/hooked"\n';

  it.each([
    'sh scripts/mark',
    'sh "$CLAUDE_PROJECT_DIR"/scripts/mark',
    `bash -c 'true; sh "\${CLAUDE_PROJECT_DIR}/scripts/mark"'`,
    'env X=1 sh ./scripts/../scripts/mark > out.log',
  ])('GT-3: %s: a script of the project that the command names is approved with it', async (command) => {
    const stage = await setStage();
    await stage.write('scripts/mark', SCRIPT);
    await stage.write('.claude/settings.json', onCall(hook(command)));
    await trust(stage);
    await approveAll(stage);
    expect(await run(stage)).toEqual([]);
    expect(await isHooked(stage)).toBe(true);
    await stage.write('scripts/mark', `${SCRIPT}touch "$CLAUDE_PROJECT_DIR/evil"\n`);
    expect(await run(stage)).toHaveLength(1);
    expect(await exists(join(stage.folder, 'evil'))).toBe(false);
  });

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

  it('GT-3: files that a hook only reads or writes may change', async () => {
    const stage = await setStage();
    await stage.write('NOTES.md', 'one\n');
    const command = 'cat NOTES.md >> hooks.log; touch hooked; tee -a other.log < NOTES.md > /dev/null';
    await stage.write('.claude/settings.json', onCall(hook(command)));
    await trust(stage);
    await approveAll(stage);
    expect(await run(stage)).toEqual([]);
    await stage.write('NOTES.md', 'two\n');
    expect(await run(stage)).toEqual([]);
    expect(await stage.read('hooks.log')).toBe('one\ntwo\n');
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
    'GT-3: %o: a definition that changes while the session runs brings no hook in unseen, and it is said',
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
  it('GT-3: 1,000 hooks: none runs, one line, and the session starts', async () => {
    const stage = await setStage();
    const many = Array.from({ length: 1_000 }, (_, n) => hook(`sh ./scripts/${n}.sh; ${MARK}`));
    await stage.write('.claude/settings.json', onCall(...many));
    await mkdir(join(stage.folder, 'scripts'));
    await trust(stage);
    const lines = await run(stage);
    expect(lines).toEqual([expect.stringContaining('1000 hooks of this project')]);
    expect(await isHooked(stage)).toBe(false);
  });

  it('GT-3: a hook that nobody could read can’t be approved', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', onCall(hook(`${MARK} ${'# padding '.repeat(1_000)}`)));
    await trust(stage);
    await approveAll(stage);
    expect(await run(stage)).toHaveLength(1);
    expect(await isHooked(stage)).toBe(false);
  });
});
