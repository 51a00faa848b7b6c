/** A long session is resumed through its checkpoint, which is only ever a shorter way to the same state. */

import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { comparable, lastSent } from '../../support/wire-body.js';

const MODEL = 'claude-opus-5-5';

/** A session with a checkpoint: one comes when it is compacted after its first megabyte. */
async function longSession() {
  const stage = await setStage(
    [
      { when: { user: '<compaction>' }, reply: '## Asked for\nnumbers\n## Next\ngo on counting' },
      { when: { user: 'prompt number' }, reply: `answer ${'word '.repeat(20_000)}` },
      { reply: 'well' },
    ],
    { models: { [MODEL]: { contextTokens: 120_000 } } },
  );
  await stage.settings({ models: { [MODEL]: { context: 120_000, maxOutput: 40_000 } } });
  const session = await stage.open();
  const checkpoint = join(session.transcript.replace(/\.jsonl$/, ''), 'checkpoint');
  for (let n = 1; !existsSync(checkpoint); n += 1) {
    expect((await session.send(`prompt number ${n}`)).reason).toBe('completed');
    if (n > 60) expect.fail('no checkpoint came');
  }
  await session.send('one more');
  await session.close();
  expectAllAccepted(stage.sim);
  return { stage, session, checkpoint };
}

/** Makes some records near the beginning unreadable. A read of the whole file tells of it. */
async function damage(transcript: string): Promise<void> {
  const file = await open(transcript, 'r+');
  await file.write(Buffer.from('"'.repeat(40)), 0, 40, 120_000);
  await file.close();
}

it('DU-10, DU-13: after a compaction a resume begins at the checkpoint and repeats what was sent', async () => {
  const { stage, session, checkpoint } = await longSession();
  const before = stage.sim.requests.at(-1);
  await damage(session.transcript);
  const again = await stage.open({ resume: session.id });
  await again.send('and now?');
  expectAllAccepted(stage.sim);
  const after = stage.sim.requests.at(-1);
  if (before === undefined || after === undefined) return expect.fail('no request');
  expect(comparable(after).startsWith(comparable(before))).toBe(true);
  expect((await again.prompts()).length).toBeGreaterThan(10);
  const told = () => eventsOf(stage, 'line-shown').filter(({ line }) => line.includes('damaged bytes'));
  expect(told()).toEqual([]);
  await again.close();

  // Thrown away, everything is read, and the same is sent.
  await rm(checkpoint);
  const whole = await stage.open({ resume: session.id });
  await whole.send('and again?');
  expectAllAccepted(stage.sim);
  expect(comparable(stage.sim.requests.at(-1) ?? expect.fail('no request')).startsWith(comparable(after))).toBe(true);
  expect(told()).not.toEqual([]);
  await whole.close();
});

it('DU-10: a checkpoint that is damaged, empty or of another session is not used, and nothing is reported about it', async () => {
  const { stage, session, checkpoint } = await longSession();
  const good = await readFile(checkpoint);
  const flipped = Buffer.from(good);
  flipped[good.length >> 1] = (flipped[good.length >> 1] ?? 0) ^ 4;
  for (const [index, bytes] of [flipped, good.subarray(0, 500), Buffer.alloc(0), Buffer.from('{}\n')].entries()) {
    await writeFile(checkpoint, bytes);
    const shown = eventsOf(stage, 'line-shown').length;
    const before = stage.sim.requests.at(-1) ?? expect.fail('no request');
    const again = await stage.open({ resume: session.id });
    await again.send(`go on ${index}`);
    expect(comparable(stage.sim.requests.at(-1) ?? before).startsWith(comparable(before))).toBe(true);
    expect(eventsOf(stage, 'line-shown').slice(shown)).toEqual([]);
    await again.close();
  }
  expectAllAccepted(stage.sim);
});

it('DU-10, DU-23: a rewind to before the checkpoint finds what was said there, also after a resume', async () => {
  const { stage, session } = await longSession();
  const again = await stage.open({ resume: session.id });
  expect(await again.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
  await again.send('from there');
  expect(lastSent(stage.sim)).toContain('prompt number 1');
  expect(lastSent(stage.sim)).not.toContain('prompt number 2');
  await again.close();
  const third = await stage.open({ resume: session.id });
  await third.send('and on');
  expect(lastSent(stage.sim)).toContain('prompt number 1');
  expect(lastSent(stage.sim)).toContain('from there');
  expect(lastSent(stage.sim)).not.toContain('prompt number 2');
  expectAllAccepted(stage.sim);
});
