import { describe, expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { childCall, childIds, expectSettled, noticesIn, statesOf } from './background-stage.js';

describe('many, and nested', () => {
  it.each([false, true])(
    'LC-11: a parent that ends first (interactive: %s) leaves no child unheard',
    async (interactive) => {
      const held = gate();
      const stage = await setStage([
        { when: { said: 'GRANDCHILD' }, reply: onceOpen(held, 'Grandchild done.') },
        { when: { said: 'MIDDLE', nth: 1 }, reply: [childCall({ prompt: 'GRANDCHILD', run_in_background: true })] },
        { when: { said: 'MIDDLE', user: 'Grandchild done.' }, reply: 'Middle, with what came from below.' },
        { when: { said: 'MIDDLE' }, reply: 'Middle done.' },
        { when: { nth: 1 }, reply: [childCall({ prompt: 'MIDDLE', run_in_background: true })] },
        { reply: 'On.' },
      ]);
      const session = await stage.open({ interactive });
      await session.send('Delegate.');
      const [middle = ''] = childIds(stage);
      await until(() => childIds(stage).length === 2, 'the grandchild');
      const grand = childIds(stage)[1] ?? '';
      if (interactive) {
        await until(() => noticesIn(stage.events).length === 1, 'the middle one has ended');
        expect(noticesIn(stage.events)).toMatchObject([{ agent: middle, to: 'main' }]);
      } else {
        await until(
          () => eventsOf(stage, 'agent-state-changed').some((event) => event.state === 'waiting'),
          'the middle one waits',
        );
        expect(session.snapshot().find((agent) => agent.id === middle)?.status).toBe('waiting');
      }
      held.open();
      await expectSettled(session, stage);
      const notices = noticesIn(stage.events).map(({ agent, to }) => [agent, to]);
      if (interactive) {
        expect(notices).toEqual([
          [middle, 'main'],
          [grand, 'main'],
        ]);
      } else {
        expect(notices).toEqual([
          [grand, middle],
          [middle, 'main'],
        ]);
        expect(noticesIn(stage.events)[1]?.text).toContain('Middle, with what came from below.');
        expect(await statesOf(session, middle)).toEqual(['running', 'waiting', 'running', 'completed']);
      }
      expectAllAccepted(stage.sim);
    },
  );
});
