/** Calls of MCP servers at the gate: rules by every name, reading what they keep, and questions that nothing spares. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../../../../src/gate/gate.js';
import { couldMatchRule } from '../../../../src/gate/permissions/could-match-rule.js';
import { suggestRules } from '../../../../src/gate/permissions/suggest-rules.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { Action } from '../../../../src/protocol/action.js';
import { command, commonInput, newFolder, openHooks } from '../hooks/open-hooks.js';
import { makePlayground, type Playground } from '../permissions/playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
});
afterAll(() => place.remove());

describe('MC-21: a call that needs the user', () => {
  const wants: Action = { kind: 'mcp', server: 's', tool: 't', interactive: true };
  const allow = ['mcp__s', 'mcp__s__t', 'mcp__s__*'];

  it.each(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'bubble'] as const)(
    'is a firm question in the mode %s, whatever is allowed',
    (mode) => {
      expect(place.act('mcp__s__t', wants, { mode, allow })).toMatchObject({ behavior: 'ask', firm: true });
    },
  );

  it('MC-21 GT-5: where only reading is allowed, a rule does not answer for a tool; for reading resources it does', () => {
    const plain: Action = { kind: 'mcp', server: 's', tool: 't' };
    expect(place.act('mcp__s__t', plain, { mode: 'default', allow }).behavior).toBe('allow');
    expect(place.act('mcp__s__t', plain, { mode: 'plan', allow }).behavior).toBe('ask');
    expect(place.act('mcp__s__t', plain, { mode: 'default', allow, readOnlyOnly: true }).behavior).toBe('ask');
    expect(place.act('mcp__s__t', plain, { mode: 'bypassPermissions', readOnlyOnly: true }).behavior).toBe('ask');
    const reading: Action = { kind: 'mcp', server: 's' };
    expect(place.act('ReadMcpResource', reading, { mode: 'plan', allow }).behavior).toBe('allow');
  });

  it('is denied where nobody is asked, and where a rule denies it', () => {
    expect(place.act('mcp__s__t', wants, { mode: 'dontAsk', allow }).behavior).toBe('deny');
    expect(place.act('mcp__s__t', wants, { mode: 'bypassPermissions', deny: ['mcp__s'] }).behavior).toBe('deny');
  });

  it('is denied where nobody is there, and no hook answers for the user', async () => {
    const folder = newFolder();
    const host = nodeHost(folder, { HOME: folder });
    const yes = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } };
    const { hooks } = openHooks({ PermissionRequest: [{ hooks: [command(`echo '${JSON.stringify(yes)}'`)] }] });
    const gate = createGate({
      host,
      projectRoot: folder,
      rules: [],
      trusted: true,
      readRoots: [],
      editsAgreed: undefined,
      acceptEdits: async () => {},
      warn: () => {},
    });
    const requester = {
      id: 'main',
      type: 'main',
      depth: 0,
      mode: 'bypassPermissions',
      readOnly: false,
      limits: undefined,
      roots: [folder],
      folder,
      cwd: folder,
      files: host.files.sync,
      hooks,
      notify: async () => {},
    } as const;
    const call = { id: 'c', tool: 'mcp__s__t', input: commonInput(folder), actions: [wants] };
    const { decision } = await gate.decide(requester, call);
    if (decision.behavior !== 'ask') throw new Error(decision.behavior);
    expect(await gate.ask(requester, call, decision, new AbortController().signal)).toMatchObject({ behavior: 'deny' });
  });
});

describe('MC-22: reading what a server keeps', () => {
  const reads: Action = { kind: 'mcp', server: 'docs' };
  const judged = (changes: { allow?: string[]; deny?: string[] }) =>
    place.act('ReadMcpResource', reads, changes).behavior;

  it('is asked about, and a rule about the whole server covers it', () => {
    expect(judged({})).toBe('ask');
    for (const rule of ['mcp__docs', 'mcp__docs__*', 'ReadMcpResource', 'ReadMcpResourceTool']) {
      expect(judged({ allow: [rule] }), rule).toBe('allow');
      expect(judged({ deny: [rule] }), rule).toBe('deny');
    }
    for (const rule of ['mcp__docs__r*', 'mcp__docs__read', 'mcp__doc', 'mcp__docs2']) {
      expect(judged({ allow: [rule] }), rule).toBe('ask');
    }
  });

  it('MC-22: a list is not asked about, and a rule that denies the server denies it', () => {
    const lists: Action = { kind: 'mcp', server: 'docs', lists: true };
    expect(place.act('ListMcpResources', lists).behavior).toBe('allow');
    expect(place.act('ListMcpResources', lists, { deny: ['mcp__docs'] }).behavior).toBe('deny');
  });

  it('the question names the rule, and no wider one is offered', () => {
    expect(place.act('ReadMcpResource', reads)).toMatchObject({ reason: expect.stringContaining('mcp__docs') });
    expect(suggestRules({ actions: [reads] })).toEqual([]);
  });
});

describe('MC-17: rules and hooks match the long name of a tool whose name is cut', () => {
  const long = 'mcp__s__a_tool_with_a_name_that_is_so_long_that_it_had_to_be_cut_somewhere';
  const cut: `mcp__${string}` = `mcp__${long.slice(5, 55)}_12345678`;
  const action: Action = { kind: 'mcp', server: 's', tool: long.slice('mcp__s__'.length) };

  it('rules', () => {
    for (const rule of [long, cut, 'mcp__s', 'mcp__s__a_tool*']) {
      expect(place.act(cut, action, { allow: [rule] }).behavior, rule).toBe('allow');
      expect(place.act(cut, action, { deny: [rule] }).behavior, rule).toBe('deny');
    }
    expect(place.act(cut, action, { allow: [`${long}2`] }).behavior).toBe('ask');
  });

  it('a rule that forbids may be written with the dots of the server; one that allows may not', () => {
    const dotted: Action = { kind: 'mcp', server: 'my_server', tool: 'read_file' };
    for (const rule of ['mcp__my.server', 'mcp__my.server__read.file', 'mcp__my.server__*']) {
      expect(place.act('mcp__my_server__read_file', dotted, { deny: [rule], mode: 'bypassPermissions' }).behavior).toBe(
        'deny',
      );
      expect(place.act('mcp__my_server__read_file', dotted, { allow: [rule] }).behavior).toBe('ask');
    }
  });

  it('the `if` of a hook', async () => {
    const matchesRule = (rule: string, tool: string, input: unknown) =>
      couldMatchRule(rule, tool, input, { cwd: '/', home: '/' });
    const call = { tool_name: cut, tool_input: {}, tool_use_id: 't1' } as const;
    const decided = async (rule: string) => {
      const { hooks } = openHooks({ PreToolUse: [{ hooks: [command('exit 2', { if: rule })] }] }, { matchesRule });
      return (await hooks.run('PreToolUse', call, { subject: [cut, long] })).decision;
    };
    expect(await decided(long)).toBe('deny');
    expect(await decided(cut)).toBe('deny');
    expect(await decided(`${long}2`)).toBeUndefined();
  });
});
