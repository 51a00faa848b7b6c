/** LC-20 in lines: what is known about an agent, from one snapshot. */

import { describe, expect, it } from 'vitest';
import { describeAgent } from '../../../../src/front/view/describe/describe-agents.js';
import { describePast } from '../../../../src/front/view/describe/describe-past.js';
import type { AgentSnapshot } from '../../../../src/front/view/snapshots.js';

const AGENT: AgentSnapshot = {
  id: 'a1',
  type: 'fork',
  name: 'wren',
  description: 'try it\nthe other way',
  parent: 'main',
  depth: 2,
  chain: 's1/a0/a1',
  status: 'running',
  model: 'claude-opus-5-5',
  folder: '/home/you',
  elapsedMs: 61_500,
  turns: 3,
  toolUses: 4,
  tool: 'Bash',
  doing: 'Bash: npm test',
  toolMs: 4_200,
  worktree: { path: '/trees/wren', branch: 'wren' },
  background: true,
  takenOver: false,
  aside: false,
  isWhole: true,
  question: { call: 'c1', tool: 'Write', line: 'Write: a.txt' },
  tokensIn: 1_234_567,
  tokensOut: 890,
  cacheShare: 0.856,
  costUsd: 0.0123,
};

describe('an agent in lines', () => {
  it('LC-20: status, tool, time, turns, tokens, cache share, cost, depth, worktree and question', () => {
    expect(describeAgent(AGENT)).toEqual([
      '  a1  running  wren (fork): try it the other way',
      '    Bash: npm test (4s) · 1m 1s · 3 turns · 1,234,567 tokens in (86% from cache), 890 out · $0.01 · depth 2 · worktree /trees/wren (wren)',
      '    asking for permission: Write: a.txt',
    ]);
  });

  it('LC-20: nothing unknown is shown', () => {
    const { question: _question, ...quiet } = AGENT;
    const early = {
      ...quiet,
      question: undefined,
      status: 'interrupted',
      doing: undefined,
      toolMs: undefined,
      worktree: undefined,
      isWhole: false,
      turns: 0,
      cacheShare: undefined,
      costUsd: undefined,
    } as const;
    expect(describeAgent(early)[1]).toBe('    ran in an earlier session · depth 2');
    expect(describeAgent({ ...early, turns: 1, elapsedMs: 0, tokensIn: 0, tokensOut: 0 })[1]).toBe(
      '    0s · 1 turn · 0 tokens in, 0 out · cost unknown · since the resume · depth 2',
    );
  });
});

describe('a session that is resumed, in lines', () => {
  const PAST = {
    prompts: 2,
    prompt: 'do it',
    reply: 'done',
    cutOff: undefined,
    agents: [],
    resumesAgents: false,
    commands: [],
    queue: [],
    damagedLines: 0,
  };

  it('DU-12: the last exchange; a long reply is cut, and nothing in it is active', () => {
    expect(describePast('s1', PAST)).toEqual(['Resumed session s1 (2 prompts so far).', '  > do it', '  done']);
    const reply = Array.from({ length: 20 }, (_, n) => `line ${n}\u001b[2J`).join('\n');
    const shown = describePast('s1', { ...PAST, reply });
    expect(shown).toHaveLength(11);
    expect(shown.at(-1)).toBe('  … (+12 lines)');
    expect(shown.join('')).not.toContain('\u001b');
  });

  it('DU-12: what was interrupted, and what to do', () => {
    const agents = Array.from({ length: 7 }, (_, n) => ({ id: `a${n}`, title: `type: task ${n}` }));
    const shown = describePast('s1', {
      ...PAST,
      reply: undefined,
      cutOff: 'max_turns',
      agents,
      commands: ['npm start'],
      queue: [],
      damagedLines: 0,
    });
    expect(shown.slice(2)).toEqual([
      'The last run ended early (max turns). Type "continue", or something else.',
      '7 agents were interrupted; /tasks resume ID continues one:',
      ...agents.slice(0, 5).map(({ id, title }) => `  ${id}  ${title}`),
      '  … 2 more (/tasks)',
      'A background command ended with the program: npm start',
    ]);
    expect(describePast('s1', { ...PAST, agents, resumesAgents: true })[3]).toContain(
      'they continue with your next prompt',
    );
  });
});
