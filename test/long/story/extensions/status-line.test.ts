/** EX-22: the status line of a real session: true figures, real processes, a real terminal. */

import { describe, expect, it } from 'vitest';
import { interactive, isAlive, settings, watch } from '../../../story/extensions/status-line-stage.js';
import { setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

describe('EX-22: a status line', () => {
  it('EX-22: one that takes too long is ended with its group, however it resists', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings(settings("trap '' TERM; sleep 300 & echo $! > pid; echo $$ > shell; wait; sleep 300"));
    const { line } = watch(await stage.open(interactive));
    const pids = async () => Promise.all(['pid', 'shell'].map(async (name) => Number(await stage.read(name))));
    await until(async () => (await stage.read('shell').catch(() => '')).endsWith('\n'), 'it runs');
    const started = await pids();
    expect(started.every(isAlive)).toBe(true);
    await until(() => !started.some(isAlive), 'all of it is ended');
    expect(line.lines).toEqual([]);
  });
});
