/** CL-2: MCP servers of every kind, those in the client's own process too. */

import { createSdkMcpServer, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Rule } from '../../../src/sim/index.js';
import { everythingOver } from '../../support/mcp/reference-servers.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { type Case, runCases, toolNames } from './cases.js';

/** The model calls a tool of a server. */
function calls(name: string, input: object): readonly Rule[] {
  return [
    { when: { result: { tool: name, error: true } }, reply: 'It failed: {{result}}' },
    { when: { result: { tool: name } }, reply: 'It said: {{result}}' },
    { reply: [{ tool: name, input }] },
  ];
}

/** A server of the client itself, and what its tool was called with. */
function ownServer() {
  const seen: unknown[] = [];
  const fell = tool('fell', 'Fells a tree.', { tree: z.string() }, async ({ tree }) => {
    seen.push(tree);
    if (tree === 'yew') throw new Error('MARKER: not the yew');
    return { content: [{ type: 'text', text: `${tree} MARKER-FELLED` }] };
  });
  return { seen, server: createSdkMcpServer({ name: 'forest', version: '1.0.0', tools: [fell] }) };
}

const PING = smallServer({
  name: 'small',
  tools: [{ name: 'ping', result: { content: [{ type: 'text', text: 'MARKER-PONG' }] } }],
});

const CASES: readonly Case[] = [
  {
    about: 'mcpServers',
    says: 'a command (stdio)',
    rules: calls('mcp__small__ping', {}),
    given: { mcpServers: { small: PING }, allowedTools: ['mcp__small'] },
    expects: ({ sent, result, messages }) => {
      expect(toolNames(sent[0])).toContain('mcp__small__ping');
      expect(result.result).toContain('MARKER-PONG');
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.mcp_servers).toMatchObject([{ name: 'small', status: 'connected' }]);
    },
  },
  {
    about: 'mcpServers',
    says: '`http`',
    rules: calls('mcp__far__echo', { message: 'MARKER-HTTP' }),
    play: async (stage) => {
      const url = await everythingOver('http');
      const options: Options = { mcpServers: { far: { type: 'http', url } }, allowedTools: ['mcp__far'] };
      expect((await stage.run('go', options)).result.result).toContain('MARKER-HTTP');
    },
  },
  {
    about: 'mcpServers',
    says: '`sse`',
    rules: calls('mcp__far__echo', { message: 'MARKER-SSE' }),
    play: async (stage) => {
      const url = await everythingOver('sse');
      const options: Options = { mcpServers: { far: { type: 'sse', url } }, allowedTools: ['mcp__far'] };
      expect((await stage.run('go', options)).result.result).toContain('MARKER-SSE');
    },
  },
  {
    about: 'mcpServers',
    says: 'a server in the client’s own process (`createSdkMcpServer`)',
    rules: calls('mcp__forest__fell', { tree: 'oak' }),
    play: async (stage) => {
      const { server, seen } = ownServer();
      const { result, messages } = await stage.run('go', {
        mcpServers: { forest: server },
        allowedTools: ['mcp__forest__fell'],
      });
      expect(seen).toEqual(['oak']);
      expect(result.result).toContain('oak MARKER-FELLED');
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.mcp_servers).toMatchObject([{ name: 'forest' }]);
    },
  },
  {
    about: 'mcpServers',
    says: '… whose tool fails: the model reads why',
    rules: calls('mcp__forest__fell', { tree: 'yew' }),
    play: async (stage) => {
      const { server } = ownServer();
      const { result } = await stage.run('go', { mcpServers: { forest: server }, allowedTools: ['mcp__forest__fell'] });
      expect(result.result).toMatch(/It failed: [\s\S]*MARKER: not the yew/);
    },
  },
  {
    about: 'mcpServers',
    says: '… and its tools need permission like others',
    rules: calls('mcp__forest__fell', { tree: 'oak' }),
    play: async (stage) => {
      const { server, seen } = ownServer();
      const { result } = await stage.run('go', { mcpServers: { forest: server } });
      expect(seen).toEqual([]);
      expect(result.permission_denials).toMatchObject([{ tool_name: 'mcp__forest__fell' }]);
    },
  },
  {
    about: 'mcpServers',
    says: 'one that can’t be started: `system/init` and `mcpServerStatus()` say `failed`, and the session goes on',
    play: async (stage) => {
      const live = stage.open({ mcpServers: { broken: { command: '/nowhere/at/all' } } });
      live.say('go');
      expect(await live.result(1)).toMatchObject({ subtype: 'success' });
      const init = live.messages.find(({ subtype }) => subtype === 'init');
      expect(init?.mcp_servers).toMatchObject([{ name: 'broken', status: 'failed' }]);
      expect(await live.query.mcpServerStatus()).toMatchObject([{ name: 'broken', status: 'failed' }]);
      await live.end();
    },
  },
  {
    about: 'strictMcpConfig',
    says: 'no servers of files',
    files: { '~/.claude.json': JSON.stringify({ mcpServers: { other: PING } }) },
    play: async (stage) => {
      const all = await stage.run('go', { mcpServers: { small: PING } });
      expect(toolNames(all.sent[0])).toEqual(expect.arrayContaining(['mcp__other__ping', 'mcp__small__ping']));
      const strict = await stage.run('go', { mcpServers: { small: PING }, strictMcpConfig: true });
      expect(toolNames(strict.sent.at(-1))).toContain('mcp__small__ping');
      expect(toolNames(strict.sent.at(-1))).not.toContain('mcp__other__ping');
    },
  },
  {
    about: 'onElicitation',
    says: 'answers what a server asks',
    rules: calls('mcp__far__trigger-elicitation-request', {}),
    play: async (stage) => {
      const url = await everythingOver('http');
      const asked: unknown[] = [];
      const { result } = await stage.run('go', {
        mcpServers: { far: { type: 'http', url } },
        allowedTools: ['mcp__far'],
        onElicitation: async (request) => {
          asked.push(request);
          return { action: 'decline' };
        },
      });
      expect(asked).toMatchObject([{ serverName: 'far', message: expect.any(String) }]);
      expect(result.result).toMatch(/declined/i);
    },
  },
];

runCases('CL-2', 'servers', CASES);
