/** What the tests of take-over.test.ts share with those of test:long. */

import type { SessionOptions } from '../../../src/engine/session-options.js';
import { gate } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { childCall, idOf } from '../background/background-stage.js';

/** A running child, waited for. Its first reply waits for the gate; the next say what they are. */
export async function withChild(
  more: (folder: string, env: Record<string, string | undefined>) => SessionOptions = () => ({}),
) {
  const held = gate();
  let asked = 0;
  const stage = await setStage([
    {
      when: { said: 'TASK' },
      reply: async () => {
        asked += 1;
        const turn = asked;
        if (turn === 1) await held.opened;
        return `reply ${turn} of the child`;
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'main goes on' },
    { when: { user: 'begin' }, reply: [childCall({ prompt: 'TASK', name: 'kid', description: 'the part' })] },
    { reply: 'heard' },
  ]);
  const options = more(stage.folder, stage.env);
  const session = await stage.open({ interactive: true, permissionMode: 'bypassPermissions', ...options });
  const work = session.send('begin');
  await until(() => asked === 1, 'the child at work');
  const kid = idOf(stage, 'kid');
  const snapshot = () => session.snapshot().find(({ id }) => id === kid);
  const kinds = async () =>
    (await readTranscript(agentTranscript(session, kid)))
      .map(({ event }) => event.kind)
      .filter((kind) => /taken|handed/.test(kind));
  return { stage, session, work, held, kid, snapshot, kinds, host: options.host };
}
