import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/front/sdk/session.js';
import type { Rule } from '../../../../src/sim/index.js';
import {
  callResults,
  childCall,
  childIds,
  expectSettled,
  noticesIn,
} from '../../../story/background/background-stage.js';
import { expectAllAccepted, type Stage, setStage } from '../../../support/story.js';
import { comparable } from '../../../support/wire-body.js';

const RULES: readonly Rule[] = [
  { when: { user: '<task-notification>' }, reply: 'Heard.' },
  {
    when: { said: 'CHILD', nth: 1 },
    reply: [{ thinking: 'look' }, 'I look.', { tool: 'Glob', input: { pattern: '*' } }],
  },
  { when: { said: 'CHILD', nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'echo effect >> effects.txt' } }] },
  { when: { said: 'CHILD' }, reply: 'The conclusion.' },
  { when: { nth: 1 }, reply: [childCall({})] },
  { reply: 'The parent ends.' },
];

const LINES = [
  'general-purpose: a part',
  'I look.',
  'Glob {"pattern":"*"}',
  'Bash {"command":"echo effect >> effects.txt"}',
  'The conclusion.',
  'completed',
];

type Played = { readonly stage: Stage; readonly session: Session; readonly moved: number; readonly happened: number };

describe('from the foreground to the background', () => {
  it('LC-3: moved at any moment, the run goes on as if nothing had happened', async () => {
    const calm = await play(-1, false);
    const expected = childRequests(calm.stage);
    expect(expected).toHaveLength(3);
    expect(noticesIn(calm.stage.events)).toEqual([]);
    const outcomes = { moved: 0, stayed: 0 };
    for (let at = 1; at <= calm.happened; at += 1) {
      const { stage, session, moved } = await play(at, at % 2 === 0);
      const where = `moved after ${at} of ${calm.happened} events`;
      expectAllAccepted(stage.sim);
      expect(childRequests(stage), where).toEqual(expected);
      expect(await stage.read('effects.txt'), where).toBe('effect\n');
      expect(childIds(stage), where).toHaveLength(1);
      const said = callResults(stage, 'Agent')[0] ?? '';
      const notices = noticesIn(stage.events);
      if (moved === 0) {
        outcomes.stayed += 1;
        expect(said, where).toContain('The conclusion.');
        expect(notices, where).toEqual([]);
      } else {
        outcomes.moved += 1;
        expect(said, where).toContain('Started in the background');
        expect(notices, where).toHaveLength(1);
        expect(notices[0]?.text, where).toContain('<result>The conclusion.</result>');
        const [task] = session.tasks();
        expect((await readFile(task?.outputFile ?? '', 'utf8')).trimEnd().split('\n'), where).toEqual(LINES);
      }
      await session.close();
    }
    // Both happen, or the moments were badly chosen.
    expect(outcomes.moved).toBeGreaterThan(20);
    expect(outcomes.stayed).toBeGreaterThan(5);
  });
});

/** Plays the story and moves the child when so many things have happened; `late`: a moment after. */
async function play(at: number, late: boolean): Promise<Played> {
  const stage = await setStage(RULES);
  let happened = 0;
  let moved = 0;
  const session = await stage.open({
    permissionMode: 'bypassPermissions',
    onEvent: (watched) => {
      stage.events.push(watched);
      happened += 1;
      if (happened !== at) return;
      const move = () => {
        moved = session.toBackground();
      };
      if (late) setImmediate(move);
      else move();
    },
  });
  await session.send('Delegate.');
  await expectSettled(session, stage);
  return { stage, session, moved, happened };
}

/** What the model server saw of the child: its requests, but for what differs from folder to folder. */
function childRequests(stage: Stage): string[] {
  return stage.sim.requests
    .filter((request) => !request.raw.includes('Delegate.'))
    .map((request) =>
      comparable(request)
        .replaceAll(stage.folder, 'FOLDER')
        .replace(/toolu_\w+/g, 'CALL'),
    );
}
