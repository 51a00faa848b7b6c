/** Every run that ended without a waiting caller must have reached one agent above it, once; other runs none. */

const FINAL = new Set(['completed', 'failed', 'stopped']);
const MOVED = 'moved to the background';

/** Returns how many notices were due. */
export function checkNotices(played, files, faults) {
  const owed = owedRuns(files, faults);
  const arrived = new Map();
  const inMain = new Map();
  /** Runs that ended because nothing could be saved, not even their end: the notice alone tells. */
  const unsaved = new Set();
  for (const { agent, records } of files) {
    const joined = new Set(records.flatMap((record) => (record.kind === 'message-joined' ? record.from : [])));
    for (const record of records) {
      if (record.kind !== 'input-admitted' || record.notice === undefined) continue;
      const key = `${record.notice.agent} ${record.notice.run}`;
      const times = joined.has(record.seq) ? 1 : 0;
      arrived.set(key, (arrived.get(key) ?? 0) + times);
      if (/<status>failed<[\s\S]*could not save/.test(record.blocks[0]?.text ?? '')) unsaved.add(key);
      if (agent === 'main' && times > 0) inMain.set(record.notice.agent, (inMain.get(record.notice.agent) ?? 0) + 1);
    }
  }
  for (const [key, isOwed] of owed) {
    const times = arrived.get(key) ?? 0;
    if (times !== (isOwed ? 1 : 0)) faults.notice.push(`${key}: ${times} notices were read`);
  }
  for (const key of arrived.keys()) {
    if (owed.has(key) || key.startsWith('sh-') || unsaved.has(key)) continue;
    faults.notice.push(`${key}: a notice of a run that did not end`);
  }
  checkSeen(played, inMain, faults);
  return [...owed.values()].filter(Boolean).length;
}

/** Runs that ended, by agent and run, and whether a notice is due. */
function owedRuns(files, faults) {
  const owed = new Map();
  for (const { agent, records } of files) {
    const spawned = records.find((record) => record.kind === 'agent-spawned');
    if (spawned === undefined) continue;
    const moved = new Set(records.filter(({ reason }) => reason === MOVED).map(({ run }) => run));
    for (const record of records) {
      // A child that waits for its own children has not said its last words.
      if (record.kind === 'result-made' && record.status === 'completed' && / waits for /.test(record.text)) {
        faults.notice.push(`${agent}: run ${record.run} ended with "${record.text}"`);
      }
      if (record.kind !== 'agent-state-changed' || !FINAL.has(record.state)) continue;
      const key = `${agent} ${record.run}`;
      if (owed.has(key)) faults.notice.push(`run ${record.run} of ${agent} ended twice`);
      owed.set(key, spawned.background || moved.has(record.run) || record.run > 1);
    }
  }
  return owed;
}

/** The model must have seen them once, in the main agent's last request; a summary may stand in their place. */
function checkSeen({ requests, plan }, inMain, faults) {
  const last = requests.findLast(({ body }) => JSON.stringify(body.messages ?? []).includes('echo main-2.'));
  if (last === undefined || plan.compacts) return;
  const text = JSON.stringify(last.body.messages ?? []);
  for (const [agent, due] of inMain) {
    const times = text.split(`<task-id>${agent}</task-id>`).length - 1;
    if (times !== due) faults.notice.push(`${agent}: the model saw ${times} notices of ${due}`);
  }
}
