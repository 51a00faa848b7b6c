/** How a user approves a project's MCP servers at the start of an interactive session (MC-11). */

import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { setPlainStage } from '../plain/plain-stage.js';
import { mcp, REPLY, runs, states, trust } from './mcp-question-stage.js';

describe('MC-11: the question', () => {
  it('MC-11: in a new folder one yes trusts it and approves exactly the servers shown; then it is quiet', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: { ...runs('a'), env: { LEVEL: 'high' } } }));
    await stage.write('.claude/settings.json', mcp({ more: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }));
    const first = stage.pipe(['--plain', 'hi']);
    first.say('y');
    expect(await first.end()).toBe(0);
    const shown = first.stdout();
    expect(shown).toContain('Do you trust this folder?');
    expect(shown).toContain('These MCP servers start or connect in every session:');
    expect(shown).toContain(
      '  .mcp.json\n    | files\n    |   runs no-such-server-a\n    |   with the environment {"LEVEL":"high"}\n',
    );
    expect(shown).toContain('  .claude/settings.json\n    | more\n    |   connects to http://127.0.0.1:9/mcp\n');
    expect(shown).toContain('with exactly the MCP servers shown');
    expect(await states(stage)).toEqual({ files: 'ready', more: 'ready' });
    const second = stage.pipe(['--plain', 'hi']);
    expect(await second.end()).toBe(0);
    expect(second.stdout()).not.toContain('These MCP servers');
  });

  it('MC-11: one that changed in a trusted folder asks again; no continues without it', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: runs('a') }));
    await trust(stage);
    await runProgram(['mcp', 'approve', '--all'], stage.at);
    await stage.write('.mcp.json', mcp({ files: runs('b') }));
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('n');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('This folder has new or changed MCP servers that you have not approved');
    expect(plain.stdout()).toContain('    |   runs no-such-server-b\n    ! approved before: runs no-such-server-a\n');
    expect(plain.stdout()).toContain('Hello.');
    expect(await states(stage)).toEqual({ files: 'not-approved' });
  });

  it("MC-11: what the project's settings enable is a choice, not an answer", async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: runs('a'), other: runs('b') }));
    await stage.write('.claude/settings.local.json', JSON.stringify({ enabledMcpjsonServers: ['files'] }));
    await trust(stage);
    expect(await states(stage)).toEqual({ files: 'not-approved', other: 'not-approved' });
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('s');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain("  s  the same, but only the servers that the project's settings select: files\n");
    expect(await states(stage)).toEqual({ files: 'ready', other: 'not-approved' });
  });
});
