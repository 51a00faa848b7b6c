/** What a fork has from its parent, and what it has for itself alone. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import { agentCall, begin, mainResults, resultsIn, script } from '../agents/agents-script.js';
import { childFile, die, expectNoneRefused } from '../durability/crash-stage.js';
import { forkRequests, messagesOf, parentRequests } from './fork-check.js';

const D1 = 'DIRECTIVE 1';
const D2 = 'DIRECTIVE 2';
const fork = (prompt: string, more: object = {}) => agentCall(prompt, { fork: true, ...more });
const look = (id?: string) => ({ tool: 'Look', input: {}, ...(id === undefined ? {} : { id }) });
const lookTool = readingTool('Look', async () => 'seen');

const idsIn = (request: SimRequest | undefined) =>
  request === undefined
    ? []
    : messagesOf(request).flatMap(({ content }) =>
        content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
      );

describe('ids of calls', () => {
  it('FK-8: a fork never uses an id of its parent again, whatever the model says', async () => {
    const stage = await setStage(
      script({ main: [[look('toolu_same')], [fork(D1)], 'end'], [D1]: [[look('toolu_same')], 'Scope: done'] }),
    );
    await (await stage.open({ fork: 'on', tools: [lookTool] })).send(begin());
    expectAllAccepted(stage.sim);
    const ids = idsIn(forkRequests(stage.sim).get(D1)?.[1]);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });

  it('FK-8: nor one that its parent used before a compaction', async () => {
    const stage = await setStage([
      { when: { user: '<compaction>' }, reply: '## Next\ngo on' },
      ...script({
        main: [[look('toolu_old')], 'first', [fork(D1)], 'end'],
        [D1]: [[look('toolu_old')], 'Scope: done'],
      }),
    ]);
    const session = await stage.open({ fork: 'on', tools: [lookTool] });
    await session.send(begin());
    await session.execute({ type: 'compact' });
    await session.send('now fork');
    expectAllAccepted(stage.sim);
    const ids = idsIn(forkRequests(stage.sim).get(D1)?.[1]);
    expect(ids).toHaveLength(2);
    expect(ids).not.toContain('toolu_old');
  });

  it('FK-8: what a fork calls itself is nothing to its parent, nor to its siblings', async () => {
    const stage = await setStage(
      script({
        main: [[fork(D1), fork(D2)], [look('toolu_child')], 'end'],
        [D1]: [[look('toolu_child')], 'Scope: done'],
        [D2]: [[look('toolu_child')], 'Scope: done'],
      }),
    );
    await (await stage.open({ fork: 'on', tools: [lookTool] })).send(begin());
    expectAllAccepted(stage.sim);
    for (const directive of [D1, D2])
      expect(idsIn(forkRequests(stage.sim).get(directive)?.[1]).at(-1)).toBe('toolu_child');
    expect(idsIn(parentRequests(stage.sim).at(-1)).at(-1)).toBe('toolu_child');
  });
});

describe('files read', () => {
  const edit = (path: string) => ({
    tool: 'Edit',
    input: { file_path: path, old_string: 'one', new_string: 'two' },
  });

  it('FK-18: what a fork reads does not let its parent edit, nor its sibling', async () => {
    const stage = await setStage(
      script({
        main: [[fork(D1)], () => [fork(D2), edit(join(stage.folder, 'x.txt'))], 'end'],
        [D1]: [() => [{ tool: 'Read', input: { file_path: join(stage.folder, 'x.txt') } }], 'Scope: read'],
        [D2]: [() => [edit(join(stage.folder, 'x.txt'))], 'Scope: tried'],
      }),
    );
    await stage.write('x.txt', 'one');
    await (await stage.open({ fork: 'on', permissionMode: 'bypassPermissions' })).send(begin());
    expectAllAccepted(stage.sim);
    expect(mainResults(stage, 3)[1]).toMatchObject({ isError: true, text: expect.stringMatching(/[Rr]ead/) });
    expect(resultsIn(forkRequests(stage.sim).get(D2)?.[1] as SimRequest)[0]).toMatchObject({ isError: true });
    expect(await stage.read('x.txt')).toBe('one');
  });

  it('FK-18: what its parent reads after it was started does not let it edit', async () => {
    const hasRead = gate();
    const wait = readingTool('Wait', async () => {
      await hasRead.opened;
      return 'go on';
    });
    const stage = await setStage(
      script({
        main: [
          [fork(D1, { run_in_background: true })],
          () => [{ tool: 'Read', input: { file_path: join(stage.folder, 'x.txt') } }],
          () => {
            hasRead.open();
            return 'end';
          },
        ],
        [D1]: [[{ tool: 'Wait', input: {} }], () => [edit(join(stage.folder, 'x.txt'))], 'Scope: tried'],
      }),
    );
    await stage.write('x.txt', 'one');
    const session = await stage.open({ fork: 'on', permissionMode: 'bypassPermissions', tools: [wait] });
    await session.send(begin());
    await session.settled();
    expect(resultsIn(forkRequests(stage.sim).get(D1)?.[2] as SimRequest)[0]).toMatchObject({ isError: true });
    expect(await stage.read('x.txt')).toBe('one');
  });
});

describe('limits of tools', () => {
  const bash = (command: string) => ({ tool: 'Bash', input: { command } });
  const agents = {
    careful: { description: 'd', prompt: 'p', tools: ['Agent', 'Bash(echo:*)'], disallowedTools: ['Bash(echo no:*)'] },
  };

  it('FK-23: a fork has those of its parent', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall('NAMED', { subagent_type: 'careful' })], 'end'],
        NAMED: [[bash('touch named.txt'), fork(D1)], 'named done'],
        [D1]: [[bash('echo yes'), bash('touch forked.txt'), bash('echo no')], 'Scope: done'],
      }),
    );
    const session = await stage.open({ fork: 'on', permissionMode: 'bypassPermissions', agents });
    await session.send(begin());
    expectAllAccepted(stage.sim);
    const results = resultsIn(forkRequests(stage.sim).get(D1)?.[1] as SimRequest);
    expect(results.map(({ isError }) => isError)).toEqual([false, true, true]);
    await expect(stage.read('forked.txt')).rejects.toThrow();
    const [named, forked] = eventsOf(stage, 'agent-spawned');
    expect(forked?.limits).toEqual(named?.limits);
    expect(forked?.limits).toMatchObject({ only: ['Bash(echo:*)'], never: ['Bash(echo no:*)'] });
  });
});

describe('a record that lost what it is', () => {
  it.each(['all', 'own'] as const)(
    'FK-19: the conversation tells, when it is resumed: siblings %s',
    async (siblings) => {
      const hold = gate();
      const stage = await setStage(
        script({
          main: [[fork(D1), fork(D2)], 'end'],
          [D1]: [
            async () => {
              await hold.opened;
              return 'Scope: late';
            },
            [agentCall('TASK x')],
            'Scope: refused',
          ],
          [D2]: ['Scope: done'],
          'TASK x': ['it was started'],
        }),
      );
      Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
      const options = { fork: 'on', settings: JSON.stringify({ fork: { siblings } }) } as const;
      const first = await stage.open(options);
      void first.send(begin());
      await stage.sim.received(3);
      await die(stage, first, hold.open);
      const path = await childFile(first, D1);
      const lines = (await readFile(path, 'utf8')).split('\n');
      const record = JSON.parse(lines[0] ?? '');
      expect(record).toMatchObject({ type: 'fork', origin: 'agent:builtin:fork' });
      lines[0] = JSON.stringify({ ...record, type: 'general-purpose', origin: 'agent:built-in:general-purpose' });
      await writeFile(path, lines.join('\n'));
      const again = await stage.open({ ...options, resume: first.id });
      await again.send('and?');
      expectNoneRefused(stage.sim);
      const [result] = resultsIn(forkRequests(stage.sim).get(D1)?.at(-1) as SimRequest);
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('cannot start agents') });
      expect(stage.sim.requests.some(({ raw }) => raw.includes('it was started'))).toBe(false);
    },
  );
});
