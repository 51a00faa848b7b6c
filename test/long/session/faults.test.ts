import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../src/config/paths.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { DurableEvent } from '../../../src/protocol/events.js';
import { repairHistory } from '../../../src/session/repair/repair-history.js';
import { readState } from '../../../src/session/state/read-state.js';
import { lockSession } from '../../../src/session/store/session-lock.js';
import { TranscriptError } from '../../../src/session/transcript/append-port.js';
import { repairTail } from '../../../src/session/transcript/read-transcript.js';
import { Transcript } from '../../../src/session/transcript/transcript.js';
import { type FaultPlan, faultyHost, NO_FAULT, withoutSync } from '../../support/hosts/faulty-host.js';
import { scratchFolder } from '../../support/scratch.js';
import {
  admitted,
  call,
  ended,
  epoch,
  finished,
  intended,
  joined,
  nextMessages,
  problemOf,
  replied,
  show,
  started,
  thought,
  turn,
} from '../../unit/session/sample-events.js';

const real = withoutSync(nodeHost('/'));
const FAULTS = ['EIO', 'ENOSPC', 'torn', 'short'] as const;
/** File calls it takes to open a transcript: its folder is made and synced, then the file. */
const OPENING = 4;

type Saved = { readonly seq: number; readonly kind: DurableEvent['kind'] };
type Report = { readonly saved: readonly Saved[]; readonly effects: readonly string[] };

/** A turn with two calls of which each has an effect, and one more; each step as a function of what was saved before. */
const STEPS: readonly ((seq: (kind: DurableEvent['kind'], nth?: number) => number) => DurableEvent)[] = [
  () => started(),
  () => admitted('do it'),
  (seq) => joined(seq('input-admitted')),
  () => turn(1),
  () => epoch(),
  () => replied([thought('hm'), call('a'), call('b')], 'tool_use'),
  () => intended('a'),
  () => finished('a', 'first'),
  () => intended('b'),
  () => finished('b', 'second'),
  () => admitted('and this'),
  (seq) => joined(seq('call-finished'), seq('call-finished', 1), seq('input-admitted', 1)),
  () => turn(2),
  () => replied([{ type: 'text', text: 'done' }]),
  () => ended(),
];

/** As the loop does: nothing continues that isn't on disk; a failure is retried once, as the user would. */
async function runScript(host: Host, path: string): Promise<Report> {
  const saved: Saved[] = [];
  const effects: string[] = [];
  const seqOf = (kind: DurableEvent['kind'], nth = 0) => saved.filter((one) => one.kind === kind)[nth]?.seq ?? 0;
  let transcript: Transcript | undefined;
  try {
    transcript = await Transcript.open({ host, path, onSuspect: () => {} });
    for (const step of STEPS) {
      const event = step(seqOf);
      const expected = (saved.at(-1)?.seq ?? 0) + 1;
      const seq = await transcript.append(event, expected).catch(async (error) => {
        expect(error).toBeInstanceOf(TranscriptError);
        return transcript?.append(event, expected);
      });
      saved.push({ seq: seq ?? 0, kind: event.kind });
      if (event.kind === 'call-intended') effects.push(event.call);
    }
  } catch {
    // The session ends here.
  }
  await transcript?.close().catch(() => {});
  return { saved, effects };
}

async function check(path: string, { saved, effects }: Report, plan: FaultPlan): Promise<void> {
  const name = JSON.stringify(plan);
  expect(await repairTail(real, path), name).toMatchObject({ ok: true });
  const seen = new Map<number, string>();
  const read = await readState(real.files, path, {
    onRecord: (record) => seen.set(record.seq, 'event' in record ? record.event.kind : '?'),
  });
  if (saved.length === 0) return;
  if (read.kind !== 'read') throw new Error(`${name}: ${read.kind}`);
  for (const { seq, kind } of saved) expect(seen.get(seq), `${name}: record ${seq}`).toBe(kind);
  const { state } = read;
  const repaired = repairHistory(state);
  expect(repaired.edits, name).toEqual([]);
  const messages = nextMessages(state, repaired);
  expect(problemOf(messages, state.accepted), name).toBeUndefined();
  for (const id of effects) {
    // It happened: the model must hear of it, or that it may have.
    const heard = show(messages)
      .join('\n')
      .split('{"type":"tool_result"')
      .find((one) => one.includes(`"tool_use_id":"${id}"`));
    expect(heard, name).toMatch(/first|second|outcome unknown/);
  }
  const end = read.end ? { end: read.end } : {};
  const transcript = await Transcript.open({ host: real, path, ...end, onSuspect: () => {} });
  const last = read.end?.seq ?? 0;
  const next = await transcript.append(turn(9), last + 1);
  await transcript.close();
  expect(next, name).toBe(last + 1);
}

describe('faults of the disk', () => {
  it.each(
    FAULTS.flatMap((fault) => [
      { fault, lasting: false },
      { fault, lasting: true },
    ]),
  )(
    'DU-20, failures 23: $fault (for good: $lasting) at every file call: acknowledged records are there, the request is valid, no effect is repeated',
    async ({ fault, lasting }) => {
      const folder = await scratchFolder();
      const counted = faultyHost(real, NO_FAULT);
      const whole = await runScript(counted.host, join(folder, 'whole', 's.jsonl'));
      expect(whole.saved).toHaveLength(STEPS.length);
      for (let at = 1; at <= counted.calls(); at += 1) {
        const plan: FaultPlan = { at, lasting, fault };
        const path = join(folder, `${at}`, 's.jsonl');
        const report = await runScript(faultyHost(real, plan).host, path);
        if (!lasting && at > OPENING) expect(report.saved, JSON.stringify(plan)).toHaveLength(STEPS.length);
        await check(path, report, plan);
      }
    },
  );

  it('DU-20: a fault while a session is opened again harms nothing, and the next try succeeds', async () => {
    const home = await scratchFolder();
    const layout = sessionLayout(home, 'p', 's');
    await runScript(real, layout.file);
    const half = '{"v":1,"seq":99,"uu';
    const { writeFile } = await import('node:fs/promises');
    await writeFile(layout.file, half, { flag: 'a' });
    const before = await readFile(layout.file, 'utf8');
    const open = async (host: Host) => {
      const attempt = await lockSession(host, layout);
      if (!attempt.ok) return attempt.kind;
      try {
        const tail = await repairTail(host, layout.file);
        const read = await readState(host.files, layout.file);
        return tail.ok ? read.kind : 'tail';
      } finally {
        await attempt.lock.release();
      }
    };
    const counted = faultyHost(real, NO_FAULT);
    expect(await open(counted.host)).toBe('read');
    for (const fault of FAULTS) {
      for (let at = 1; at <= counted.calls(); at += 1) {
        await writeFile(layout.file, before);
        const outcome = await open(faultyHost(real, { at, lasting: false, fault }).host);
        expect(['read', 'unreadable', 'missing', 'tail', 'failed', 'held', 'doubtful']).toContain(outcome);
        expect(outcome, `${fault} at ${at}`).not.toBe('missing');
        // A release that failed holds the lock until the process ends; here that is now.
        const { rm } = await import('node:fs/promises');
        for (const name of await readdir(join(home, 'projects', 'p'))) {
          if (name.startsWith('s.lock')) await rm(join(home, 'projects', 'p', name));
        }
        expect(await open(real), `${fault} at ${at}`).toBe('read');
        expect(before.startsWith(await readFile(layout.file, 'utf8'))).toBe(true);
        expect(`${await readFile(layout.file, 'utf8')}${half}`).toBe(before);
      }
    }
  });
});
