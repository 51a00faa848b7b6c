import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, lastSent } from '../../support/wire-body.js';

describe('a session that continues', () => {
  it('DU-14: has its history, mode and todos back, and repeats its bytes', async () => {
    const stage = await setStage([
      {
        when: { user: 'first' },
        reply: [{ tool: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending', activeForm: 'doing a' }] } }],
      },
      { when: { result: { tool: 'TodoWrite' } }, reply: [{ thinking: 'hm' }, 'noted'] },
      { when: { user: 'second' }, reply: 'still here' },
    ]);
    const first = await stage.open({ permissionMode: 'acceptEdits' });
    await first.send('first');
    await first.close();
    const again = await stage.open({ resume: 'latest' });
    expect(again.id).toBe(first.id);
    expect(again.mode).toBe('acceptEdits');
    expect(await again.send('second')).toMatchObject({ reason: 'completed', text: 'still here' });
    expectAllAccepted(stage.sim);
    const [, before, after] = stage.sim.requests;
    if (before === undefined || after === undefined) throw new Error(stage.sim.report());
    expect(comparable(after).startsWith(comparable(before))).toBe(true);
    const cached = (before.usage?.cache_read_input_tokens ?? 0) + (before.usage?.cache_creation_input_tokens ?? 0);
    expect(after.usage?.cache_read_input_tokens).toBeGreaterThanOrEqual(cached * 0.99);
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  });

  it('DU-14: never comes back with every question switched off', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    stage.env.COPPICE_ALLOW_ROOT_BYPASS = '1';
    const first = await stage.open({ permissionMode: 'bypassPermissions' });
    await first.send('x');
    await first.close();
    const again = await stage.open({ resume: first.id });
    expect(again.mode).toBe('default');
  });

  it('DU-9: a second process is refused before any request, and offered a branch', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const first = await stage.open();
    await first.send('x');
    const second = await openSession({ cwd: stage.folder, env: stage.env, resume: first.id });
    expect(second).toMatchObject({ ok: false, reason: expect.stringContaining('--branch') });
    expect(stage.sim.requests).toHaveLength(1);
    const branch = await stage.open({ resume: first.id, branch: true });
    expect(branch.id).not.toBe(first.id);
    expect(await branch.send('y')).toMatchObject({ reason: 'completed' });
    expect(comparable(stage.sim.requests[1] as never).startsWith(comparable(stage.sim.requests[0] as never))).toBe(
      true,
    );
    await first.close();
  });

  it('DU-12: an interrupted call is reported as such, and the conversation is valid', async () => {
    const stage = await setStage([
      {
        when: { nth: 1 },
        reply: [
          { tool: 'Bash', input: { command: 'sleep 30' } },
          { tool: 'Glob', input: { pattern: '*' } },
        ],
      },
      { reply: 'understood' },
    ]);
    const first = await stage.open({ permissionMode: 'bypassPermissions', allowedTools: ['Bash'] });
    const working = first.send('go');
    await until(() => eventsOf(stage, 'call-intended').length > 0, 'the command runs');
    // The process "dies" here: what is on disk now is all there is.
    const disk = await readFile(first.transcript);
    await first.close();
    await working;
    const { writeFile } = await import('node:fs/promises');
    await writeFile(first.transcript, disk);
    const again = await stage.open({ resume: first.id });
    await again.send('what happened?');
    expectAllAccepted(stage.sim);
    const sent = JSON.parse(lastSent(stage.sim) ?? '{}');
    const results = sent.messages.flatMap((m: { content: { type: string; content: { text: string }[] }[] }) =>
      m.content.filter((block) => block.type === 'tool_result').map((block) => block.content[0]?.text),
    );
    expect(results).toHaveLength(2);
    expect(results[0]).toMatch(/outcome (is )?unknown/i);
    expect(results[1]).toMatch(/never started/i);
  });

  it('DU-11: a torn last line goes to a side file and nothing else is lost', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const first = await stage.open();
    await first.send('x');
    await first.close();
    const whole = (await readTranscript(first.transcript)).length;
    await appendFile(first.transcript, '{"v":1,"seq":99,"uu');
    const again = await stage.open({ resume: 'latest' });
    await again.send('y');
    await again.close();
    expect((await readTranscript(first.transcript)).length).toBeGreaterThan(whole);
    const names = await readdir(join(first.transcript, '..'));
    expect(names.some((name) => name.includes('.tail-'))).toBe(true);
    expectAllAccepted(stage.sim);
  });

  it('DU-13, failures 18: after a compaction the compacted view comes back, with the tokens it had', async () => {
    const stage = await setStage([
      { when: { user: '<compaction>' }, reply: 'SUMMARY of it' },
      { when: { user: 'the first words' }, reply: `long ${'word '.repeat(9_000)}` },
      { reply: 'short' },
    ]);
    await stage.settings({ models: { 'claude-opus-5-5': { context: 14_000, maxOutput: 1_000 } } });
    const first = await stage.open();
    await first.send('the first words');
    await first.send('the second');
    await first.close();
    expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);
    const live = stage.sim.requests.at(-1);
    const again = await stage.open({ resume: first.id });
    await again.send('the third');
    expectAllAccepted(stage.sim);
    const after = stage.sim.requests.at(-1);
    if (live === undefined || after === undefined) throw new Error(stage.sim.report());
    expect(after.raw.toString('utf8')).toContain('SUMMARY of it');
    expect(after.raw.toString('utf8')).not.toContain('the first words');
    // All that was there, and no more than what came since.
    expect(comparable(after).startsWith(comparable(live))).toBe(true);
    const tokens = (usage: typeof live.usage) =>
      (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0) + (usage?.input_tokens ?? 0);
    expect(after.usage?.cache_read_input_tokens).toBe(tokens(live.usage));
    expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);
  });

  it('shows what there is when the session asked for is not there', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    expect(await openSession({ cwd: stage.folder, env: stage.env, resume: 'latest' })).toMatchObject({
      ok: false,
      kind: 'usage',
      reason: expect.stringContaining('No session'),
    });
    expect(await openSession({ cwd: stage.folder, env: stage.env, resume: 'nope' })).toMatchObject({ ok: false });
  });
});
