/** Keeps the checkpoint of the main agent's transcript while its session is open. */

import type { Runtime } from '../../agents/runtime.js';
import { VERSION } from '../../config/version.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { CheckpointWriter } from '../../session/checkpoint/checkpoint-writer.js';
import type { Resources } from '../resources.js';

/** `made`: what the resume of this session came to, if that is worth keeping. */
export function keepCheckpoint({ host, layout, listeners }: Runtime, resources: Resources, made?: Buffer): void {
  const place = { path: layout.checkpoint, version: VERSION };
  const keeper = new CheckpointWriter({ host, transcript: layout.file, place });
  resources.add('the checkpoint', () => keeper.close());
  if (made !== undefined) keeper.save(made);
  listeners.add(
    ({ agent, seq }) => {
      if (agent === MAIN_AGENT && seq !== undefined) keeper.compacted(seq);
    },
    ['history-compacted'],
  );
}
