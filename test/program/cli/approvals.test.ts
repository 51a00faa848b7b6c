/** How a user approves a project's hooks: at the start of an interactive session, exactly those shown (GT-3). */

import { describe, expect, it } from 'vitest';
import { atStart, exists, hook, REPLY, trust } from './approvals-stage.js';
import { setPlainStage } from './plain/plain-stage.js';

describe('GT-3: approving hooks', () => {
  it('GT-3: a folder trusted before asks once about its hooks; a yes is saved, and nothing else is asked', async () => {
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
      '    | SessionStart\n    |   runs sh scripts/start.sh\n    |   with {"timeout":9}\n    |   and the current content of scripts/start.sh\n',
    );
    expect(await exists(stage, 'one')).toBe(true);
    const second = stage.pipe(['--plain', 'hi']);
    expect(await second.end()).toBe(0);
    expect(second.stdout()).not.toContain('not approved');
    expect(second.stdout()).toContain('Hello.');
  });

  it('GT-3: a changed hook asks again, with what was approved before; no continues without it, and reports it', async () => {
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
    expect(again.stdout()).toContain('same as you approved, but a file it names has changed');
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
      '    |   runs n\u0440m test\n    ! not plain ASCII, may imitate other characters: U+0440\n',
    );
    expect(shown).toContain('    |   runs echo \\u{202e}\\u{200b}\\u{1b}[2J x\\n  y  yes\n');
  });
});
