/** A tool that stands for others: the call is the other one's in all that follows (MC-18). */

import { describe, expect, it } from 'vitest';
import { failed } from '../../../src/protocol/outcome.js';
import type { Tool } from '../../../src/tools/tool.js';
import { call, LoopStage, reply } from './loop-stage.js';
import { changeTool, lookTool, Moment } from './small-tools.js';

/** Takes {tool, input}. */
function standIn(...tools: readonly Tool[]): Tool {
  return {
    ...changeTool(async () => failed('the stand-in itself must never run'), 'StandIn'),
    forwards: (raw) => {
      const { tool: name, input } = raw as { readonly tool?: string; readonly input?: unknown };
      if (name === 'Broken') throw new Error('no luck');
      const tool = tools.find((one) => one.name === name);
      return tool === undefined ? { ok: false, reason: `no tool ${name}` } : { ok: true, tool, raw: input };
    },
  };
}

describe('MC-18: forwarded calls', () => {
  it('gate, hooks and records see the resolved tool, with its own input', async () => {
    const ran: unknown[] = [];
    const seen: unknown[] = [];
    const hidden = changeTool(async (input) => `ran ${ran.push(input)}`, 'Hidden');
    const stage = new LoopStage([reply(call('a', 'StandIn', { tool: 'Hidden', input: { n: 1 } })), reply('done')], {
      tools: [standIn(hidden)],
      decide: (gated) => {
        seen.push(['gate', gated.tool, gated.input]);
        return { behavior: 'allow', by: 'test' };
      },
      hooks: {
        PreToolUse: [
          { matcher: 'Hidden', hooks: [(input) => void seen.push(['before', input.tool_name, input.tool_input])] },
        ],
        PostToolUse: [{ matcher: 'Hidden', hooks: [(input) => void seen.push(['after', input.tool_name])] }],
      },
    });
    await stage.say('go');
    expect(ran).toEqual([{ n: 1 }]);
    expect(seen).toEqual([
      ['before', 'Hidden', { n: 1 }],
      ['gate', 'Hidden', { n: 1 }],
      ['after', 'Hidden'],
    ]);
    for (const kind of ['call-started', 'call-intended', 'call-finished'] as const) {
      expect(
        stage.eventsOf(kind).map(({ tool }) => tool),
        kind,
      ).toEqual(['Hidden']);
    }
    expect(stage.model.sent[1]?.at(-1)).toBe('user: a=ran 1');
  });

  it('a change by a hook or the user applies to the input of the resolved tool', async () => {
    const ran: unknown[] = [];
    const hidden = changeTool(async (input) => `ran ${ran.push(input)}`, 'Hidden');
    const updatedInput = { n: 2 };
    const stage = new LoopStage([reply(call('a', 'StandIn', { tool: 'Hidden', input: { n: 1 } })), reply('done')], {
      tools: [standIn(hidden)],
      decide: () => ({ behavior: 'ask', by: 'test', reason: 'why not' }),
      ask: ({ input }) => ({ behavior: 'allow', by: 'person', updatedInput: { ...(input as object), m: 3 } }),
      hooks: {
        PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } })] }],
      },
    });
    await stage.say('go');
    expect(ran).toEqual([{ n: 2, m: 3 }]);
  });

  it('escapes are removed from quotations as the resolved tool requires', async () => {
    const ran: unknown[] = [];
    const hidden: Tool = { ...changeTool(async (input) => `ran ${ran.push(input)}`, 'Hidden'), quotes: 'all' };
    const input = { deep: [{ text: '<~system-reminder>' }] };
    const stage = new LoopStage([reply(call('a', 'StandIn', { tool: 'Hidden', input })), reply('done')], {
      tools: [standIn(hidden)],
    });
    await stage.say('go');
    expect(ran).toEqual([{ deep: [{ text: '<system-reminder>' }] }]);
  });

  it('a tool called as if it were declared is resolved', async () => {
    const hidden = changeTool(async () => 'ran', 'Hidden');
    const through: Tool = { ...standIn(hidden), finds: (name) => (name === 'Hidden' ? hidden : undefined) };
    const stage = new LoopStage([reply(call('a', 'Hidden'), call('b', 'Elsewhere')), reply('done')], {
      tools: [through],
    });
    await stage.say('go');
    expect(stage.model.sent[1]?.at(-1)).toMatch(/^user: a=ran b!There is no tool "Elsewhere"/);
    expect(stage.eventsOf('fault-met')).toHaveLength(1);
  });

  it('an unknown tool, and a forwarder that crashes, are failed calls and nothing runs', async () => {
    const calls = [call('a', 'StandIn', { tool: 'None' }), call('b', 'StandIn', { tool: 'Broken' })];
    const stage = new LoopStage([reply(...calls), reply('done')], { tools: [standIn()] });
    expect((await stage.say('go')).reason).toBe('completed');
    expect(stage.model.sent[1]?.at(-1)).toBe('user: a!no tool None b!StandIn broke down: no luck');
    expect(stage.eventsOf('call-started')).toEqual([]);
  });

  it('the limit of the result is that of the resolved tool', async () => {
    const hidden: Tool = { ...lookTool(async () => 'x'.repeat(20_000), 'Hidden'), maxResultChars: 8_000 };
    const stage = new LoopStage([reply(call('a', 'StandIn', { tool: 'Hidden', input: {} })), reply('done')], {
      tools: [standIn(hidden)],
    });
    await stage.say('go');
    expect(stage.model.sent[1]?.at(-1)?.length).toBeLessThan(8_200);
  });

  it('read-only calls run in parallel; others alone', async () => {
    const begun: string[] = [];
    const ends = new Map<string, Moment>();
    const held = async (_input: unknown, { callId }: { readonly callId: string }) => {
      begun.push(callId);
      const end = new Moment();
      ends.set(callId, end);
      await end.wait();
      return 'ok';
    };
    const tools = [lookTool(held, 'Reads'), changeTool(held, 'Changes')];
    const through = (id: string, tool: string) => call(id, 'StandIn', { tool, input: {} });
    const calls = [through('a', 'Reads'), through('b', 'Reads'), through('c', 'Changes'), through('d', 'Changes')];
    const stage = new LoopStage([reply(...calls), reply('done')], { tools: [standIn(...tools)] });
    const work = stage.say('go');
    const groups: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await stage.clock.settle();
      groups.push(begun.splice(0).join(' '));
      for (const end of ends.values()) end.come();
    }
    await work;
    expect(groups).toEqual(['a b', 'c', 'd']);
  });
});
