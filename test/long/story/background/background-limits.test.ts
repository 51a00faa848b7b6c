import { describe, expect, it } from 'vitest';
import { childCall, childIds } from '../../../story/background/background-stage.js';
import { expectAllAccepted, setStage } from '../../../support/story.js';

describe('limits', () => {
  it('LC-16: one that only waits for its own children lends its place; all finish', async () => {
    const stage = await setStage([
      { when: { said: 'GRANDCHILD' }, reply: 'Grandchild done.' },
      {
        when: { said: 'MIDDLE', nth: 1 },
        reply: [childCall({ prompt: 'GRANDCHILD' }), childCall({ prompt: 'GRANDCHILD' })],
      },
      { when: { said: 'MIDDLE' }, reply: 'Middle done.' },
      { when: { nth: 1 }, reply: Array.from({ length: 6 }, () => childCall({ prompt: 'MIDDLE' })) },
      { reply: 'End.' },
    ]);
    await stage.settings({ maxConcurrentAgents: 2 });
    let most = 0;
    const at = new Set<string>();
    const session = await stage.open({
      onEvent: (watched) => {
        stage.events.push(watched);
        if (watched.event.kind === 'request-sent' && watched.agent !== 'main') at.add(watched.agent);
        if (watched.event.kind === 'assistant-replied') at.delete(watched.agent);
        most = Math.max(most, at.size);
      },
    });
    expect(await session.send('Delegate.'), stage.sim.report()).toMatchObject({ text: 'End.' });
    expect(childIds(stage)).toHaveLength(18);
    expect(most).toBeLessThanOrEqual(2);
    expectAllAccepted(stage.sim);
  });
});
