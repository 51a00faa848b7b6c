/** Agents that were running when the process died. */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, lastSent, resultsById, wireText } from '../../support/wire-body.js';
import { childFile, cutAfter, die, dieWhen, expectNoneRefused } from './crash-stage.js';

const AUTO = { COPPICE_RESUME_AGENTS: 'auto' };
const FORKS = { fork: 'on', permissionMode: 'bypassPermissions' } as const;

/** Main forks after a first reply; the fork makes one call, thinks, and says `fork says this`. `hold` keeps it waiting. */
function forkRules(hold: { open: boolean; asked: number }): Rule[] {
  return [
    {
      when: { user: 'Your part', not: { result: { tool: 'Glob' } } },
      reply: [{ thinking: 'I look first.' }, { tool: 'Glob', input: { pattern: '*' } }],
    },
    {
      when: { said: 'Your part', result: { tool: 'Glob' } },
      reply: async () => {
        hold.asked += 1;
        const asked = hold.asked;
        await until(() => hold.open || hold.asked !== asked);
        return [{ thinking: 'Now I know.' }, 'fork says this'];
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'main has it' },
    {
      when: { user: 'begin' },
      reply: [
        { thinking: 'Somebody else should.' },
        { tool: 'Agent', input: { description: 'part', prompt: 'Your part', fork: true }, id: 'toolu_fork' },
      ],
    },
    { reply: 'hello' },
  ];
}

async function forkStage() {
  const hold = { open: false, asked: 0 };
  const stage = await setStage(forkRules(hold));
  Object.assign(stage.env, AUTO);
  const first = await stage.open(FORKS);
  await first.send('hi');
  void first.send('begin');
  await until(() => hold.asked === 1);
  return { stage, hold, first };
}

describe('resumed automatically', () => {
  it('DU-15, DU-18, DU-19: the fork finishes first, from its last live bytes; its result stands where its call waits', async () => {
    const { stage, hold, first } = await forkStage();
    const live = stage.sim.requests.at(-1);
    await die(stage, first, () => {
      hold.open = true;
    });
    const before = stage.sim.requests.length;
    const again = await stage.open({ resume: first.id, ...FORKS });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main has it' });
    expectNoneRefused(stage.sim);
    const [fork, main] = stage.sim.requests.slice(before);
    if (live === undefined || fork === undefined || main === undefined) throw new Error(stage.sim.report());
    expect(comparable(fork)).toBe(comparable(live));
    expect(wireText(fork)).toContain('I look first.');
    const read = fork.usage?.cache_read_input_tokens ?? 0;
    const written = (live.usage?.cache_read_input_tokens ?? 0) + (live.usage?.cache_creation_input_tokens ?? 0);
    expect(read).toBeGreaterThanOrEqual(written * 0.99);
    const ids = fork.body.messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(wireText(fork).split('Your part')).toHaveLength(3);
    expect(resultsById(main).get('toolu_fork')).toContain('fork says this');
    expect(eventsOf(stage, 'notice-queued')).toHaveLength(0);
  });

  it('DU-18: without its stored prefix it is rebuilt, and the user is informed that the cache will miss', async () => {
    const { stage, hold, first } = await forkStage();
    await die(stage, first, () => {
      hold.open = true;
    });
    const prefixes = join(first.transcript.replace(/\.jsonl$/, ''), 'prefixes');
    for (const name of await readdir(prefixes)) await rm(join(prefixes, name));
    const again = await stage.open({ resume: first.id, ...FORKS });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main has it' });
    expectNoneRefused(stage.sim);
    const told = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(told.filter((line) => line.includes('the cache will miss'))).toHaveLength(2);
  });

  it('DU-15: at most three times on its own; then it is shown as interrupted, with how to continue', async () => {
    const { stage, hold, first } = await forkStage();
    await die(stage, first, () => {
      hold.open = true;
    });
    for (let tries = 1; tries <= 3; tries += 1) {
      hold.open = false;
      const session = await stage.open({ resume: first.id, ...FORKS });
      void session.send('go on');
      await until(() => hold.asked === tries + 1);
      await die(stage, session, () => {
        hold.open = true;
      });
    }
    const last = await stage.open({ resume: first.id, ...FORKS });
    await last.send('go on');
    expect(hold.asked).toBe(4);
    expectNoneRefused(stage.sim);
    const said = resultsById(stage.sim.requests.at(-1)).get('toolu_fork');
    expect(said).toMatch(/was interrupted before it was done.*SendMessage/);
  });

  it('DU-12, DU-15: below a child as well: the result of the grandchild stands where its call waits', async () => {
    const hold = { open: false, asked: 0 };
    const stage = await setStage([
      {
        when: { user: 'task of the grandchild' },
        reply: async () => {
          hold.asked += 1;
          await until(() => hold.open);
          return 'grandchild says so';
        },
      },
      {
        when: { user: 'task of the child', not: { result: { tool: 'Agent' } } },
        reply: [{ tool: 'Agent', input: { description: 'g', prompt: 'task of the grandchild' }, id: 'toolu_grand' }],
      },
      { when: { said: 'task of the child', result: { tool: 'Agent' } }, reply: 'child heard: {{result}}' },
      { when: { result: { tool: 'Agent' } }, reply: 'main heard' },
      { reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' }, id: 'toolu_child' }] },
    ]);
    Object.assign(stage.env, AUTO);
    const first = await stage.open();
    void first.send('begin');
    await until(() => hold.asked === 1);
    await die(stage, first, () => {
      hold.open = true;
    });
    const again = await stage.open({ resume: first.id });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main heard' });
    expectNoneRefused(stage.sim);
    expect(resultsById(stage.sim.requests.at(-1)).get('toolu_child')).toContain('child heard: grandchild says so');
    expect(hold.asked).toBe(2);
  });

  it('DU-15: a run that was over but for its end is ended, and asks the model nothing more', async () => {
    const { stage, hold, first } = await forkStage();
    hold.open = true;
    await dieWhen(stage, first, () => eventsOf(stage, 'result-made').length === 1);
    await cutAfter(await childFile(first), 'assistant-replied');
    await cutAfter(first.transcript, 'call-intended');
    const before = stage.sim.requests.length;
    const again = await stage.open({ resume: first.id, ...FORKS });
    await again.send('and?');
    expectNoneRefused(stage.sim);
    expect(stage.sim.requests.slice(before)).toHaveLength(1);
    expect(resultsById(stage.sim.requests.at(-1)).get('toolu_fork')).toContain('fork says this');
  });

  it('DU-12: one that died before it had its task was never started, and is not resumed', async () => {
    const { stage, hold, first } = await forkStage();
    await die(stage, first, () => {
      hold.open = true;
    });
    await cutAfter(await childFile(first), 'input-admitted', 'fork-placeholders');
    const before = stage.sim.requests.length;
    const again = await stage.open({ resume: first.id, ...FORKS });
    await again.send('and?');
    expectNoneRefused(stage.sim);
    expect(stage.sim.requests.slice(before)).toHaveLength(1);
    expect(resultsById(stage.sim.requests.at(-1)).get('toolu_fork')).toContain('Never started');
  });
});

describe('notices', () => {
  /** One child in the background, done at once. */
  async function backgroundStage(): Promise<{ stage: Stage; first: Awaited<ReturnType<Stage['open']>> }> {
    const stage = await setStage([
      { when: { user: 'task of the child' }, reply: 'child is done' },
      { when: { user: '<task-notification>' }, reply: 'heard it' },
      { when: { result: { tool: 'Agent' } }, reply: 'it runs' },
      {
        when: { user: 'begin' },
        reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child', run_in_background: true } }],
      },
      { reply: 'nothing new' },
    ]);
    const first = await stage.open();
    await first.send('begin');
    await first.settled();
    expect(eventsOf(stage, 'notice-queued')).toHaveLength(1);
    await first.close();
    return { stage, first };
  }

  for (const [cut, kind] of [
    ['was queued', 'notice-queued'],
    ['was queued, but not its record', 'agent-state-changed'],
  ] as const) {
    it(`DU-14, DU-8: the process died when the notice ${cut}: it is delivered on resume, once`, async () => {
      const { stage, first } = await backgroundStage();
      await cutAfter(await childFile(first), kind, kind === 'notice-queued' ? '' : 'completed');
      // The main transcript up to before the notice arrived.
      await cutAfter(first.transcript, 'run-ended', '"seq"');
      const records = await readTranscript(first.transcript);
      const arrived = records.findIndex(({ event }) => event.kind === 'input-admitted' && event.notice !== undefined);
      if (arrived >= 0) {
        const before = records[arrived - 1]?.event.kind;
        await cutBefore(first.transcript, arrived + 1);
        expect(before).toBeDefined();
      }
      for (const words of ['one', 'two']) {
        const again = await stage.open({ resume: first.id });
        await again.send(words);
        await again.close();
      }
      expectNoneRefused(stage.sim);
      const sent = lastSent(stage.sim);
      expect(sent.split('<task-notification>')).toHaveLength(2);
      expect(sent).toContain('child is done');
    });
  }

  it('DU-14: a command in the background that died with the process is reported, once', async () => {
    const stage = await setStage([
      { when: { user: 'begin' }, reply: [{ tool: 'Bash', input: { command: 'sleep 60', run_in_background: true } }] },
      { reply: 'fine' },
    ]);
    const first = await stage.open({ permissionMode: 'bypassPermissions' });
    await first.send('begin');
    await die(stage, first);
    for (const words of ['one', 'two']) {
      const again = await stage.open({ resume: first.id });
      await again.send(words);
      await again.close();
    }
    expectNoneRefused(stage.sim);
    const sent = lastSent(stage.sim);
    expect(sent.split('<task-notification>')).toHaveLength(2);
    expect(sent).toMatch(/sleep 60.*outcome unknown/);
  });

  async function cutBefore(path: string, seq: number): Promise<void> {
    const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
    await writeFile(path, `${lines.slice(0, seq - 1).join('\n')}\n`);
  }
});

describe('an agent that continues', () => {
  /** A named agent from a file, interrupted in its first request. */
  async function namedStage() {
    const hold = { open: false, asked: 0 };
    const stage = await setStage([
      {
        when: { system: 'You are the OLD scout' },
        reply: async () => {
          hold.asked += 1;
          await until(() => hold.open);
          return 'scouted';
        },
      },
      { when: { user: '<task-notification>' }, reply: 'heard of it' },
      { when: { result: { tool: 'SendMessage' } }, reply: 'sent: {{result}}' },
      {
        when: { user: { matches: 'write to (?<id>\\S+)' } },
        reply: [{ tool: 'SendMessage', input: { to: '{{id}}', message: 'go on' } }],
      },
      { when: { result: { tool: 'Agent' } }, reply: 'noted' },
      {
        when: { user: 'begin' },
        reply: [
          { tool: 'Agent', input: { description: 's', prompt: 'scout it', subagent_type: 'scout', max_turns: 7 } },
        ],
      },
      { reply: 'well' },
    ]);
    const define = (prompt: string) =>
      stage.write(
        '.claude/agents/scout.md',
        `---\nname: scout\ndescription: scouts\nmodel: haiku\ntools: Read, Glob\n---\n${prompt}\n`,
      );
    await define('You are the OLD scout');
    const first = await stage.open({ trust: true });
    void first.send('begin');
    await until(() => hold.asked === 1);
    await die(stage, first, () => {
      hold.open = true;
    });
    const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
    return { stage, first, define, agent };
  }

  it('DU-16: has the prompt, tools, model and limits it had, though its definition has changed; the user is informed', async () => {
    const { stage, first, define, agent } = await namedStage();
    await define('You are the NEW scout');
    const live = stage.sim.requests.at(-1);
    const again = await stage.open({ resume: first.id, trust: true });
    await again.send(`write to ${agent}`);
    await again.settled();
    expectNoneRefused(stage.sim);
    const resumed = stage.sim.requests.findLast((request) => wireText(request).includes('OLD scout'));
    expect(resumed?.index).toBeGreaterThan(live?.index ?? 0);
    expect(resumed?.body.model).toBe(live?.body.model);
    expect(resumed?.body.tools).toEqual(live?.body.tools);
    expect(eventsOf(stage, 'line-shown').map(({ line }) => line)).toContainEqual(
      expect.stringContaining('its definition scout has changed'),
    );
    expect(lastSent(stage.sim)).toContain('scouted');
    expect(again.snapshot().find(({ id }) => id === agent)).toMatchObject({ type: 'scout', depth: 1 });
  });

  it('DU-16: continues when its definition is gone', async () => {
    const { stage, first, agent } = await namedStage();
    await rm(dirname(join(stage.folder, '.claude/agents/scout.md')), { recursive: true });
    const again = await stage.open({ resume: first.id, trust: true });
    expect(await again.resumeAgent(agent)).toBeUndefined();
    await again.settled();
    expectNoneRefused(stage.sim);
    expect(lastSent(stage.sim)).toContain('scouted');
    expect(eventsOf(stage, 'line-shown').map(({ line }) => line)).toContainEqual(
      expect.stringContaining('its definition scout is gone'),
    );
  });

  it('DU-16: a later deny of its type keeps the model from waking it, not the user from finishing it', async () => {
    const { stage, first, agent } = await namedStage();
    const again = await stage.open({ resume: first.id, trust: true, disallowedTools: ['Agent(scout)'] });
    await again.send(`write to ${agent}`);
    expect(lastSent(stage.sim)).toContain('denied by a rule');
    expect(await again.resumeAgent(agent)).toBeUndefined();
    await again.settled();
    expect(lastSent(stage.sim)).toContain('scouted');
    expect(await again.resumeAgent(agent)).toContain('denied by a rule');
  });
});
