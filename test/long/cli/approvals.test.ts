/** How a user approves a project's hooks: at the start of an interactive session, exactly those shown (GT-3). */

import { describe, expect, it } from 'vitest';
import { atStart, exists, hook, REPLY, trust } from '../../program/cli/approvals-stage.js';
import { count, setPlainStage } from '../../program/cli/plain/plain-stage.js';
import { runProgram } from '../../support/program.js';

describe('GT-3: approving hooks', () => {
  it('GT-3: of 1,000 hooks a yes covers those that were shown; w shows the rest', async () => {
    const stage = await setPlainStage(REPLY);
    const many = Array.from({ length: 1_000 }, (_, n) => hook(`touch made-${n}`));
    await stage.write('.claude/settings.json', atStart(...many));
    const plain = stage.pipe(['--plain', 'hi']);
    await plain.until('960 more not shown');
    plain.say('y');
    expect(await plain.end()).toBe(0);
    expect(count(plain.stdout(), 'runs touch made-')).toBe(40);
    expect([await exists(stage, 'made-39'), await exists(stage, 'made-40'), await exists(stage, 'made-999')]).toEqual([
      true,
      false,
      false,
    ]);
    const rest = stage.pipe(['--plain']);
    await rest.until('920 more not shown');
    rest.say('w');
    await rest.until('runs touch made-999');
    rest.say('y');
    await rest.end();
    const none = stage.pipe(['--plain']);
    await none.end();
    expect(none.stdout()).not.toContain('not approved');
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
    expect(config.stdout).toMatch(/hooks\.SessionStart = .*touch made.*, not approved, not running/);
    expect(config.stdout).toMatch(/agents\.a\.hooks\.PreToolUse = .*, not approved, not running/);
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
