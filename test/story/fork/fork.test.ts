import { describe, expect, it } from 'vitest';
import type { Rule, SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { comparable, countMarkers } from '../../support/wire-body.js';
import { PLACEHOLDER } from './fork-check.js';

/** The parent reads, then starts `count` forks in one reply; each fork reads once and reports. */
function forkRules(stageFile: () => string, count: number, extra: readonly object[] = []): Rule[] {
  return [
    {
      name: 'fork, first',
      when: { user: '<fork-boilerplate>' },
      reply: [{ tool: 'Read', input: { file_path: '{{file}}' } }],
    },
    { name: 'fork, then', when: { said: '<fork-boilerplate>' }, reply: 'Scope: done\nResult: fine' },
    {
      name: 'parent reads',
      when: { nth: 1 },
      reply: () => [{ thinking: 'look' }, { tool: 'Read', input: { file_path: stageFile() } }],
    },
    {
      name: 'parent forks',
      when: { nth: 2 },
      reply: [
        { thinking: 'now fork' },
        'I hand it on.',
        ...extra.map((block) => block as { tool: string; input: unknown }),
        ...Array.from({ length: count }, (_, index) => ({
          tool: 'Agent',
          input: { fork: true, prompt: `Directive number ${index}`, description: `part ${index}` },
        })),
      ],
    },
    { name: 'parent ends', reply: 'All done.' },
  ].map((rule) =>
    rule.name === 'fork, first'
      ? { ...rule, reply: () => [{ tool: 'Read', input: { file_path: stageFile() } }] }
      : rule,
  ) as Rule[];
}

async function runForks(
  count: number,
  extra: readonly object[] = [],
): Promise<{ stage: Stage; parent: SimRequest[]; forks: SimRequest[][] }> {
  let file = '';
  const stage = await setStage(forkRules(() => file, count, extra));
  file = await stage.write('big.txt', 'some words of a file\n'.repeat(800));
  await stage.settings({ fork: { siblings: 'all' } });
  const session = await stage.open({ fork: 'on' });
  const end = await session.send('Do it.');
  expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'All done.' });
  expectAllAccepted(stage.sim);
  const isFork = (request: SimRequest) => request.raw.includes('<fork-boilerplate>');
  const forks = new Map<string, SimRequest[]>();
  for (const request of stage.sim.requests.filter(isFork)) {
    const key = /Directive number (\d+)(?![\s\S]*Directive number)/.exec(request.raw.toString('utf8'))?.[1] ?? '?';
    forks.set(key, [...(forks.get(key) ?? []), request]);
  }
  return { stage, parent: stage.sim.requests.filter((request) => !isFork(request)), forks: [...forks.values()] };
}

describe('forks', () => {
  it.each([1, 2, 8, 40])(
    'FK-8: the first request of each of %i forks repeats the bytes of its parent’s last one',
    async (count) => {
      const { parent, forks } = await runForks(count);
      expect(forks).toHaveLength(count);
      const last = parent[1];
      if (last === undefined) throw new Error('no parent request');
      for (const [first, second] of forks) {
        if (first === undefined || second === undefined) throw new Error('a fork made too few requests');
        expect(comparable(first).startsWith(comparable(last))).toBe(true);
        expect(comparable(second).startsWith(comparable(first))).toBe(true);
        expect(countMarkers(first)).toBe(4);
        const cached = (last.usage?.cache_read_input_tokens ?? 0) + (last.usage?.cache_creation_input_tokens ?? 0);
        expect(first.usage?.cache_read_input_tokens ?? 0).toBeGreaterThanOrEqual(cached * 0.99);
      }
      const directives = forks.map(([first]) => comparable(first as SimRequest));
      const beforeDirective = directives.map((text) => text.slice(0, text.lastIndexOf('Directive number')));
      expect(new Set(beforeDirective).size).toBe(1);
    },
  );

  it('FK-6: every open call gets the same placeholder, whatever tool it called', async () => {
    const { forks } = await runForks(2, [{ tool: 'Glob', input: { pattern: '*.md' } }]);
    for (const [first] of forks) {
      const body = JSON.parse((first as SimRequest).raw.toString('utf8'));
      const lastMessage = body.messages.at(-1);
      const results = lastMessage.content.filter((block: { type: string }) => block.type === 'tool_result');
      expect(results.map((block: { content: string }) => block.content)).toEqual(Array(3).fill(PLACEHOLDER));
      expect(lastMessage.content.at(-1).text.startsWith('<fork-boilerplate>')).toBe(true);
    }
  });

  it('FK-13: each request shows how much it shares, and a fork shares all of its parent’s', async () => {
    const { stage } = await runForks(3);
    const firsts = stage.events.flatMap(({ agent, event }) =>
      event.kind === 'assistant-replied' && agent !== 'main' && event.shared?.with === 'main' ? [event.shared] : [],
    );
    expect(firsts).toHaveLength(3);
    for (const shared of firsts) expect(shared.bytes).toBe(shared.of);
    expect(eventsOf(stage, 'agent-spawned').every((event) => event.origin === 'agent:builtin:fork')).toBe(true);
  });
});
