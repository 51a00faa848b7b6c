/**
 * Effects, counted by call: each call that was reported as done acted once, no call acted twice, none without an intent on
 * disk, none that was never started, and none after its result was on disk.
 */

import { readFile } from 'node:fs/promises';

/** Clocks of two processes, and the time between the clock and the write. */
const LATE_MS = 100;

/** Returns how often a line was written again after the model was informed that the outcome is unknown. */
export async function checkEffects(played, files, faults) {
  const effects = await readEffects(played.linesFile);
  const calls = readCalls(files);
  const done = new Map();
  for (const [nonce, call] of calls) {
    const times = effects.get(nonce) ?? [];
    if (times.length > 1) faults.repeated.push(`${call.line} (${nonce}) acted ${times.length} times`);
    if (times.length > 0 && !call.intended)
      faults.repeated.push(`${call.line} (${nonce}) acted without an intent on disk`);
    if (call.ended === 'done') {
      done.set(call.line, (done.get(call.line) ?? 0) + 1);
      if (times.length === 0) faults.lost.push(`${call.line} (${nonce}) was reported as done but is missing`);
    }
    if (call.ended === 'never started' && times.length > 0) {
      faults.repeated.push(`${call.line} (${nonce}) acted, but the model was told that it never started`);
    }
    const late = times.find((ms) => call.endedAt !== undefined && ms > call.endedAt + LATE_MS);
    if (late !== undefined) {
      faults.repeated.push(`${call.line} (${nonce}) acted ${late - call.endedAt} ms after its result (${call.ended})`);
    }
  }
  for (const nonce of effects.keys()) {
    // After a loss of power the reply that asked for it may be gone only if the intent is, and then nothing acts.
    if (!calls.has(nonce)) faults.repeated.push(`${nonce} acted, and no record knows the call`);
  }
  for (const [line, times] of done) if (times > 1) faults.repeated.push(`${line} was done ${times} times`);
  const lines = [...calls].filter(([nonce]) => effects.has(nonce)).map(([, { line }]) => line);
  return lines.length - new Set(lines).size;
}

/** When each call acted, by its nonce. */
async function readEffects(path) {
  const effects = new Map();
  const content = await readFile(path, 'utf8').catch(() => '');
  for (const [, nonce, ms] of content.matchAll(/^[\w-]+\.(\S+) (\d+)$/gm)) {
    effects.set(nonce, [...(effects.get(nonce) ?? []), Number(ms)]);
  }
  return effects;
}

function readCalls(files) {
  const byNonce = new Map();
  for (const { records } of files) {
    const byId = new Map();
    for (const record of records) {
      for (const block of record.kind === 'assistant-replied' ? record.blocks : []) {
        const [, line, nonce] = /echo ([\w-]+)\.(\S+) /.exec(block.input?.command ?? '') ?? [];
        if (nonce === undefined) continue;
        const call = { line, intended: false, ended: 'open', endedAt: undefined };
        byNonce.set(nonce, call);
        byId.set(block.id, call);
      }
      const call = byId.get(record.call);
      if (call === undefined) continue;
      if (record.kind === 'call-intended') call.intended = true;
      if (record.kind === 'call-finished')
        Object.assign(call, { ended: howItEnded(record), endedAt: Date.parse(record.ts) });
    }
  }
  return byNonce;
}

function howItEnded(record) {
  if (!record.isError) return 'done';
  return /never started/i.test(JSON.stringify(record.blocks)) ? 'never started' : 'outcome unknown';
}
