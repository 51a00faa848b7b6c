/** EX-22: the status line of a real session: true figures, real processes, a real terminal. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { setPlainStage } from '../../program/cli/plain/plain-stage.js';
import { runProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { interactive, isAlive, settings, watch } from './status-line-stage.js';

const COMMAND = 'cat > input.json; printf "%s x %s in %s" "$COLUMNS" "$LINES" "$PWD"';

type Input = Readonly<Partial<Record<string, Readonly<Partial<Record<string, unknown>>>>>>;

const HELLO: Rule[] = [{ reply: 'Hello there.' }];

describe('EX-22: a status line', () => {
  it('EX-22: reads what is true of the session, and knows the size of the screen', async () => {
    const stage = await setStage();
    const file = join(stage.folder, 'new.txt');
    stage.sim.use([
      { when: { nth: 1 }, reply: [{ tool: 'Write', input: { file_path: file, content: 'a\nb\nc\n' } }] },
      { when: { nth: 2 }, reply: [{ tool: 'Edit', input: { file_path: file, old_string: 'a', new_string: 'z' } }] },
      { reply: 'done', usage: { input: 10, output: 20, cacheRead: 49_000, cacheWrite5m: 990, cacheWrite1h: 0 } },
    ]);
    await stage.settings({ ...settings(COMMAND), outputStyle: 'Learning' });
    const session = await stage.open({ ...interactive, permissionMode: 'acceptEdits', effort: 'high' });
    const { line } = watch(session);
    await until(() => line.lines.length > 0, 'the first line');
    expect(line.lines).toEqual([`132 x 43 in ${stage.folder}`]);
    expect(await inputOf(stage)).toMatchObject({
      cost: { total_cost_usd: 0 },
      context_window: { current_usage: null },
    });
    await session.send('go');
    await until(async () => (await inputOf(stage)).context_window?.used_percentage === 5, 'the last reply');
    await until(async () => (await inputOf(stage)).cost?.total_lines_removed === 1, 'the lines');
    const input = await inputOf(stage);
    expect(input).toMatchObject({
      session_id: session.id,
      transcript_path: session.transcript,
      cwd: stage.folder,
      model: { id: 'claude-opus-5-5', display_name: 'Opus 5.5' },
      workspace: { current_dir: stage.folder, project_dir: stage.folder, added_dirs: [] },
      output_style: { name: 'Learning' },
      cost: { total_cost_usd: session.snapshot()[0]?.costUsd, total_lines_added: 4, total_lines_removed: 1 },
      context_window: {
        context_window_size: 1_000_000,
        current_usage: {
          input_tokens: 10,
          output_tokens: 20,
          cache_creation_input_tokens: 990,
          cache_read_input_tokens: 49_000,
        },
      },
      exceeds_200k_tokens: false,
      effort: { level: 'high' },
    });
    const { total_duration_ms: whole, total_api_duration_ms: api } = input.cost as unknown as Record<string, number>;
    expect(api).toBeGreaterThan(0);
    expect(api).toBeLessThanOrEqual(whole ?? 0);
  });

  it('EX-22: one that fails keeps the last line; what it leaves running is ended', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings(settings('if [ -e fail ]; then echo bad; exit 3; fi; sleep 300 & echo $! > pid; echo good'));
    const session = await stage.open(interactive);
    const { line, changes } = watch(session);
    await until(() => line.lines[0] === 'good', 'the first line');
    const pid = Number(await stage.read('pid'));
    await until(() => !isAlive(pid), 'what it left is ended');
    await stage.write('fail', '');
    await session.send('go');
    await line.close();
    expect(changes).toEqual(['good']);
  });

  it('EX-22: not in a session without a user, nor where hooks are switched off', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings(settings('touch ran'));
    expect((await stage.open()).statusLine).toBeUndefined();
    await stage.settings({ ...settings('touch ran'), disableAllHooks: true });
    expect((await stage.open(interactive)).statusLine).toBeUndefined();
    await stage.settings({ statusLine: { type: 'static' } });
    const without = await stage.open(interactive);
    expect(without.statusLine).toBeUndefined();
    expect(without.warnings.join()).toContain('statusLine: needs "type": "command"');
    await runProgram(['-p', 'hi'], stage.at);
    await expect(stage.read('ran')).rejects.toThrow();
  });
});

describe('EX-22: the status line of a project', () => {
  it('EX-22, GT-3: does nothing before the folder is trusted and it is approved, with the script it names', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('line.sh', 'echo theirs\n');
    await stage.write('.claude/settings.json', JSON.stringify(settings('sh line.sh')));
    expect((await stage.open(interactive)).statusLine).toBeUndefined();
    const { openTrust } = await import('../../../src/config/trust.js');
    const { nodeHost } = await import('../../../src/host/node-host.js');
    await openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);
    const trusted = await stage.open(interactive);
    expect(trusted.statusLine).toBeUndefined();
    expect(trusted.warnings.join()).toContain('statusLine (.claude/settings.json)');
    const session = await stage.open({ ...interactive, trust: true });
    const { line } = watch(session);
    await until(() => line.lines[0] === 'theirs', 'approved for this run');
    // What was approved is what the script said then.
    await stage.write('line.sh', 'echo other\n');
    const ran = session.statusLine?.run('', { columns: 80, lines: 24 }, new AbortController().signal);
    expect(await ran).toMatchObject({ kind: 'failed', reason: expect.stringContaining('line.sh changed since') });
  });
});

describe('EX-22: at a terminal', () => {
  it('EX-22: it stands before the prompt, once for each thing it says, and is asked about like a hook', async () => {
    const stage = await setPlainStage(HELLO);
    const command = 'echo "tokens:$(grep -o "total_output_tokens.:[0-9]*" | cut -d: -f2)"';
    await stage.write('.claude/settings.json', JSON.stringify(settings(command)));
    const screen = stage.screen();
    await screen.until('Do you trust this folder?');
    await screen.until('statusLine');
    screen.type('y\r');
    await screen.until(/\ntokens:0\n> $/m);
    screen.type('hi\r');
    await screen.until(/Hello there\.\ntokens:[1-9]\d*\n> $/m);
    screen.type('/exit\r');
    expect(await screen.ended).toBe(0);
    expect(screen.text().match(/tokens:0/g)).toHaveLength(1);
    // Dim.
    expect(screen.raw()).toContain('\u001b[2mtokens:0');
  });

  it('EX-22: over a pipe there is none', async () => {
    const stage = await setPlainStage(HELLO);
    await stage.settings(settings('touch ran; echo mine'));
    const plain = stage.pipe(['--plain', 'hi']);
    await plain.until('Hello there.');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).not.toContain('mine');
    await expect(readFile(join(stage.folder, 'ran'))).rejects.toThrow();
  });
});

async function inputOf(stage: Stage): Promise<Input> {
  const text = await stage.read('input.json').catch(() => '');
  return text.endsWith('\n') ? JSON.parse(text) : {};
}
