/** MCP servers of the Agent SDK: in its own process, and given as entries. The real SDK on the real program. */

import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallServer } from '../../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn } from '../../../support/mcp/told.js';
import { buildProgram } from '../../../support/program.js';
import { untilFound } from '../../../support/until.js';
import { driveBySdk } from './requests-stage.js';
import { makeCalc, RULES, text } from './sdk-servers-stage.js';

beforeAll(buildProgram);

describe('CL-2: servers in the client’s process', () => {
  it('CL-2: their tools are there for the first prompt, and a call reaches the handler and its answer the model', async () => {
    const run = await driveBySdk(RULES, { mcpServers: { calc: makeCalc() }, allowedTools: ['mcp__calc__add'] });
    expect(await run.ask('add')).toMatchObject({ subtype: 'success', result: 'add: done' });
    expect(mcpNames(run.sim.requests[0])).toEqual(['mcp__calc__add']);
    expect(resultsIn(run.sim.requests.at(-1))).toMatchObject([{ text: 'the sum is 5', isError: false }]);
    await run.end();
  });

  it('CL-2: a call asks as any other does', async () => {
    const asked: string[] = [];
    const run = await driveBySdk(RULES, {
      mcpServers: { calc: makeCalc() },
      canUseTool: async (name, input) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: { ...input, b: 40 } };
      },
    });
    await run.ask('add');
    expect(asked).toEqual(['mcp__calc__add']);
    expect(resultsIn(run.sim.requests.at(-1))[0]?.text).toBe('the sum is 42');
    await run.end();
  });

  it('CL-2: a tool that its server adds later comes with the next prompt', async () => {
    const calc = makeCalc();
    const run = await driveBySdk(RULES, { mcpServers: { calc } });
    await run.ask('one');
    calc.instance.registerTool('later', { description: 'Late' }, () => text('late'));
    await untilFound(async () => {
      const [server] = await run.query.mcpServerStatus();
      return server?.tools?.some(({ name }) => name === 'later') || undefined;
    }, 'the new tool');
    await run.ask('two');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual(['mcp__calc__add', 'mcp__calc__later']);
    await run.end();
  });

  it('CL-2: what a server asks of us meanwhile is answered', async () => {
    const asking = createSdkMcpServer({ name: 'asking', tools: [] });
    asking.instance.registerTool('folders', { description: 'Asks for folders' }, async () => {
      const { roots } = await asking.instance.server.listRoots();
      return text(roots.map(({ uri }) => uri).join());
    });
    const rules = [...callsFor('where', [{ tool: 'mcp__asking__folders', input: {} }]), { reply: 'ok' }];
    const run = await driveBySdk(rules, { mcpServers: { asking }, allowedTools: ['mcp__asking'] });
    await run.ask('where');
    expect(resultsIn(run.sim.requests.at(-1))[0]?.text).toBe(`file://${run.folder}`);
    await run.end();
  });

  it('CL-2: a host’s policy for its tools holds: one is not there, one asks no matter what is allowed', async () => {
    const calc = { ...makeCalc(), tools: [{ name: 'add', permission_policy: 'always_ask' as const }] };
    const other = { ...createSdkMcpServer({ name: 'other', tools: [tool('x', 'd', {}, async () => text('x'))] }) };
    const denied = { ...other, tools: [{ name: 'x', permission_policy: 'always_deny' as const }] };
    const asked: string[] = [];
    const run = await driveBySdk(RULES, {
      mcpServers: { calc, other: denied },
      allowedTools: ['mcp__calc', 'mcp__other'],
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'deny', message: 'not now' };
      },
    });
    await run.ask('add');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual(['mcp__calc__add']);
    expect(asked).toEqual(['mcp__calc__add']);
    expect(resultsIn(run.sim.requests.at(-1))[0]?.isError).toBe(true);
    await run.end();
  });
});

describe('CL-3: requests about servers', () => {
  it('CL-3: setMcpServers, toggleMcpServer, reconnectMcpServer, mcpServerStatus and readMcpResource', async () => {
    const run = await driveBySdk(RULES, { mcpServers: { calc: makeCalc() }, allowedTools: ['mcp__calc'] });
    await run.ask('one');
    expect(await run.query.mcpServerStatus()).toEqual([
      {
        name: 'calc',
        status: 'connected',
        serverInfo: { name: 'calc', version: '1.2.3' },
        transport: 'sdk',
        scope: 'dynamic',
        source: 'sdk',
        tools: [{ name: 'add', description: 'Adds two numbers', annotations: { readOnly: true } }],
      },
    ]);
    const second = createSdkMcpServer({ name: 'second', tools: [tool('t', 'T', {}, async () => text('t'))] });
    second.instance.registerResource('page', 'ui://page', {}, (uri) => ({
      contents: [{ uri: uri.href, text: '<p>' }],
    }));
    const set = await run.query.setMcpServers({ second, small: smallServer(), bad: { command: '/no/such' } });
    expect(set).toEqual({
      added: ['bad', 'second', 'small'],
      removed: ['calc'],
      errors: { bad: expect.stringContaining('/no/such') },
    });
    await run.ask('two');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual(['mcp__second__t', 'mcp__small__echo']);
    expect(await run.query.readMcpResource('second', 'ui://page')).toEqual({
      contents: [{ uri: 'ui://page', text: '<p>' }],
    });

    await run.query.toggleMcpServer('small', false);
    await run.query.toggleMcpServer('second', false);
    const off = await run.query.mcpServerStatus();
    expect(off.map(({ name, status }) => [name, status])).toEqual([
      ['bad', 'failed'],
      ['second', 'disabled'],
      ['small', 'disabled'],
    ]);
    await run.query.toggleMcpServer('second', true);
    await run.query.reconnectMcpServer('second');
    await run.ask('three');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual(['mcp__second__t']);

    for (const request of [
      run.query.reconnectMcpServer('none'),
      run.query.toggleMcpServer('none', true),
      run.query.readMcpResource('none', 'ui://page'),
    ]) {
      await expect(request).rejects.toThrow('Server not found: none');
    }
    await expect(run.query.reconnectMcpServer('bad')).rejects.toThrow('/no/such');
    expect(await run.query.setMcpServers({})).toMatchObject({ removed: ['bad', 'second', 'small'] });
    await run.ask('four');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual([]);
    await run.end();
  });
});
