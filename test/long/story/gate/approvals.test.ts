/** Hooks of a project's files in a trusted folder: they run exactly as they were approved, or not at all (GT-3). */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approveAll, exists, hook, isHooked, MARK, onCall, run, trust } from '../../../story/gate/approvals-stage.js';
import { setStage } from '../../../support/story.js';

describe('GT-3: an approval on record', () => {
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

describe('GT-3: a hostile number and size', () => {
  it('GT-3: 1,000 hooks: none runs, one line, and the session starts', async () => {
    const stage = await setStage();
    const many = Array.from({ length: 1_000 }, (_, n) => hook(`sh ./scripts/${n}.sh; ${MARK}`));
    await stage.write('.claude/settings.json', onCall(...many));
    await mkdir(join(stage.folder, 'scripts'));
    await trust(stage);
    const lines = await run(stage);
    expect(lines).toEqual([expect.stringContaining('1,000 hooks of this project')]);
    expect(await isHooked(stage)).toBe(false);
  });
});
