import type { Reply, Rule, SimRequest } from '../../../src/sim/index.js';
import { expectAllAccepted, readingTool, type Stage } from '../../support/story.js';
import { parentRequests } from './fork-check.js';

export const fork = (n: number | string, more: object = {}) => ({
  tool: 'Agent',
  input: { fork: true, prompt: `DIRECTIVE ${n} go`, description: `part ${n}`, ...more },
});

export const look = (n = 1) => ({ tool: 'Look', input: { n } });

export const lookTool = readingTool('Look', async ({ n }) => `seen ${n} ${'word '.repeat(300)}`);

export const FORKED = { said: 'You are a forked worker' };

/** What forks say, then what the parent says turn by turn. */
export function rules(parent: readonly Reply[], child: readonly Reply[] = ['Scope: done']): Rule[] {
  let turn = 0;
  const made = new Map<string, number>();
  return [
    {
      name: 'fork',
      when: FORKED,
      reply: ({ said }) => {
        const who =
          /DIRECTIVE \S+/.exec(said.findLast((text) => text.includes('You are a forked worker')) ?? '')?.[0] ?? '?';
        const nth = made.get(who) ?? 0;
        made.set(who, nth + 1);
        return child[Math.min(nth, child.length - 1)] ?? '?';
      },
    },
    { name: 'compaction', when: { user: '<compaction>' }, reply: '## Next\ngo on' },
    { name: 'parent', reply: () => parent[Math.min(turn++, parent.length - 1)] ?? '?' },
  ];
}

export async function lastBefore(stage: Stage): Promise<SimRequest> {
  expectAllAccepted(stage.sim);
  const first = stage.sim.requests.findIndex((request) => request.raw.includes('You are a forked worker'));
  const parent = parentRequests(stage.sim)
    .filter(({ index }) => index < first)
    .at(-1);
  if (parent === undefined) throw new Error('the parent asked nothing');
  return parent;
}
