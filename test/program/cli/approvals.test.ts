/** How a person approves a project's hooks: at the start of an interactive session, exactly those shown (GT-3). */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTrust } from '../../../src/config/trust.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { runProgram } from '../../support/program.js';
import type { Stage } from '../../support/story.js';
import { count, setPlainStage } from './plain/plain-stage.js';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const atStart = (...hooks: object[]) => JSON.stringify({ hooks: { SessionStart: [{ hooks }] } });
const REPLY = [{ reply: 'Hello.' }];

const exists = (stage: Stage, name: string) =>
  readFile(join(stage.folder, name)).then(
    () => true,
    () => false,
  );

/** As a version that knew no approvals left it. */
const trust = (stage: Stage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);

describe('GT-3: approving hooks', () => {
  it('GT-3: a folder trusted before asks once about its hooks; yes is kept, and nothing else is asked', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('scripts/start.sh', 'touch one\n');
    await stage.write('.claude/settings.json', atStart(hook('sh scripts/start.sh', { timeout: 9 })));
    await trust(stage);
    const first = stage.pipe(['--plain', 'hi']);
    await first.until('hooks that you have not approved');
    expect(first.stdout()).not.toContain('Do you trust');
    first.say('y');
    expect(await first.end()).toBe(0);
    expect(first.stdout()).toContain(
      '    | SessionStart\n    |   runs sh scripts/start.sh\n    |   with {"timeout":9}\n    |   and what scripts/start.sh contains now\n',
    );
    expect(await exists(stage, 'one')).toBe(true);
    const second = stage.pipe(['--plain', 'hi']);
    expect(await second.end()).toBe(0);
    expect(second.stdout()).not.toContain('not approved');
    expect(second.stdout()).toContain('Hello.');
  });

  it('GT-3: a changed hook asks again, with what was approved before; no goes on without it, and says so', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.claude/settings.json', atStart(hook('touch one')));
    const first = stage.pipe(['--plain', 'hi']);
    first.say('y');
    expect(await first.end()).toBe(0);
    await stage.write('.claude/settings.json', atStart(hook('touch two')));
    const changed = stage.pipe(['--plain', 'hi']);
    changed.say('n');
    expect(await changed.end()).toBe(0);
    expect(changed.stdout()).toContain('    |   runs touch two\n    ! approved before: runs touch one\n');
    expect(changed.stdout()).toContain(
      "1 hook of this project is not approved, or changed since you approved them, so they don't run",
    );
    expect(await exists(stage, 'two')).toBe(false);
    const script = await setPlainStage(REPLY);
    await script.write('x.sh', 'touch one\n');
    await script.write('.claude/settings.json', atStart(hook('sh x.sh')));
    const approving = script.pipe(['--plain', 'hi']);
    approving.say('y');
    await approving.end();
    await script.write('x.sh', 'touch two\n');
    const again = script.pipe(['--plain', 'hi']);
    again.say('n');
    await again.end();
    expect(again.stdout()).toContain('the same as you approved, but a file it names has changed');
    expect([await exists(script, 'one'), await exists(script, 'two')]).toEqual([true, false]);
  });

  it('GT-3: what changes between the question and the yes was not shown, and does not run', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.claude/settings.json', atStart(hook('touch shown')));
    const plain = stage.pipe(['--plain', 'hi']);
    await plain.until('y  yes, from now on');
    await stage.write('.claude/settings.json', atStart(hook('touch swapped')));
    plain.say('y');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Hello.');
    expect([await exists(stage, 'shown'), await exists(stage, 'swapped')]).toEqual([false, false]);
  });

  it('GT-3: of 1,000 hooks a yes covers those that were shown; w shows the rest', async () => {
    const stage = await setPlainStage(REPLY);
    const many = Array.from({ length: 1_000 }, (_, n) => hook(`touch made-${n}`));
    await stage.write('.claude/settings.json', atStart(...many));
    const plain = stage.pipe(['--plain', 'hi']);
    await plain.until('960 more are not shown');
    plain.say('y');
    expect(await plain.end()).toBe(0);
    expect(count(plain.stdout(), 'runs touch made-')).toBe(40);
    expect([await exists(stage, 'made-39'), await exists(stage, 'made-40'), await exists(stage, 'made-999')]).toEqual([
      true,
      false,
      false,
    ]);
    const rest = stage.pipe(['--plain']);
    await rest.until('920 more are not shown');
    rest.say('w');
    await rest.until('runs touch made-999');
    rest.say('y');
    await rest.end();
    const none = stage.pipe(['--plain']);
    await none.end();
    expect(none.stdout()).not.toContain('not approved');
  }, 60_000);

  it('GT-20: look-alike letters and hidden characters in a hook are marked and written out', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write(
      '.claude/settings.json',
      atStart(hook('n\u0440m test'), hook('echo \u202e\u200b\u001b[2J x\n  y  yes')),
    );
    const plain = stage.pipe();
    await plain.end();
    const shown = plain.stdout();
    expect(shown).toContain(
      '    |   runs n\u0440m test\n    ! not plain ASCII, may look like something else: U+0440\n',
    );
    expect(shown).toContain('    |   runs echo \\u{202e}\\u{200b}\\u{1b}[2J x\\n  y  yes\n');
  });

  it('GT-3: headless it is one line; config and doctor show what is not approved, and run nothing', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.claude/settings.json', atStart(hook('touch made')));
    const agent = { PreToolUse: [{ hooks: [hook('touch made')] }] };
    await stage.write('.claude/agents/a.md', `---\nname: a\ndescription: b\nhooks: ${JSON.stringify(agent)}\n---\nx\n`);
    await trust(stage);
    const headless = await runProgram(['-p', 'hi'], stage.at);
    expect(headless.stdout).toBe('Hello.\n');
    const lines = headless.stderr.split('\n').filter((line) => line.includes('not approved'));
    expect(lines).toEqual([
      expect.stringMatching(/2 hooks.*SessionStart \(.claude\/settings.json\), PreToolUse \(.claude\/agents\/a.md\)/),
    ]);
    const config = await runProgram(['config'], stage.at);
    expect(config.stdout).toMatch(/hooks\.SessionStart = .*touch made.*, not approved, does not run/);
    expect(config.stdout).toMatch(/agents\.a\.hooks\.PreToolUse = .*, not approved, does not run/);
    const json = JSON.parse((await runProgram(['config', '--json'], stage.at)).stdout) as {
      settings: { state: string }[];
    };
    expect(json.settings.filter(({ state }) => state === 'not approved')).toHaveLength(2);
    const doctor = await runProgram(['doctor'], stage.at);
    expect(doctor.stdout).toMatch(/note hooks\s+2 hooks of this project are not approved/);
    expect(await exists(stage, 'made')).toBe(false);
    expect((await runProgram(['-p', 'hi', '--trust'], stage.at)).stderr).not.toContain('not approved');
    expect(await exists(stage, 'made')).toBe(true);
  });
});
