/** GT-16: hooks get the folder of the agent they are asked about. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HooksConfig } from '../../../src/index.js';
import { setStage } from '../../support/story.js';

it('GT-16: hooks of a child with its own folder get that folder, those of the main agent the session’s', async () => {
  const stage = await setStage();
  await stage.write('sub/a.txt', 'x');
  const sub = join(stage.folder, 'sub');
  stage.sim.use([
    { when: { said: 'CHILD', result: { tool: 'Glob' } }, reply: 'ok' },
    { when: { said: 'CHILD' }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
    {
      when: { nth: 1 },
      reply: [{ tool: 'Agent', input: { prompt: 'CHILD', description: 'd', cwd: sub } }],
    },
    { when: { nth: 2 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
    { reply: 'ok' },
  ]);
  const told: [string, string | undefined, string][] = [];
  const note = (input: { hook_event_name: string; agent_id?: string; cwd: string }) => {
    told.push([input.hook_event_name, input.agent_id === undefined ? 'main' : 'child', input.cwd]);
    return {};
  };
  const all = [{ hooks: [note] }];
  const glob = [{ matcher: 'Glob', hooks: [note] }];
  const hooks: HooksConfig = { PreToolUse: glob, PostToolUse: glob, SubagentStart: all, SubagentStop: all, Stop: all };
  const session = await stage.open({ hooks });
  expect((await session.send('go')).reason).toBe('completed');
  expect(told).toEqual([
    ['SubagentStart', 'child', sub],
    ['PreToolUse', 'child', sub],
    ['PostToolUse', 'child', sub],
    ['SubagentStop', 'child', sub],
    ['PreToolUse', 'main', stage.folder],
    ['PostToolUse', 'main', stage.folder],
    ['Stop', 'main', stage.folder],
  ]);
});
