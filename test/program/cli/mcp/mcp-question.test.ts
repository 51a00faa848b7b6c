/** How a person approves a project's MCP servers at the start of an interactive session (MC-11). */

import { describe, expect, it } from 'vitest';
import { openTrust } from '../../../../src/config/trust.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { runProgram } from '../../../support/program.js';
import { count, type PlainStage, setPlainStage } from '../plain/plain-stage.js';

const REPLY = [{ reply: 'Hello.' }];
const mcp = (mcpServers: object) => JSON.stringify({ mcpServers });
/** Never started here: the question comes first, and the program is nowhere. */
const runs = (name: string) => ({ command: `no-such-server-${name}` });

const states = async (stage: PlainStage) => {
  const { stdout } = await runProgram(['mcp', 'list', '--json'], stage.at);
  const { servers } = JSON.parse(stdout) as { servers: { name: string; status: string }[] };
  return Object.fromEntries(servers.map(({ name, status }) => [name, status]));
};

const trust = (stage: PlainStage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);

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
    expect(shown).toContain('These MCP servers are started or connected to in every session:');
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

  it('MC-11: where approved servers wait for nothing but trust, that is asked, also if it is all there is', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: runs('a'), 'two words': runs('b') }));
    await runProgram(['mcp', 'approve', '--all'], stage.at);
    const no = stage.pipe(['--plain', 'hi']);
    no.say('n');
    expect(await no.end()).toBe(0);
    expect(no.stdout()).toContain('Do you trust this folder?');
    expect(no.stdout()).toContain('the MCP servers that you approved start again: files, "two words"\n');
    expect(await states(stage)).toEqual({ files: 'not-approved', 'two words': 'not-approved' });
    const yes = stage.pipe(['--plain', 'hi']);
    yes.say('y');
    expect(await yes.end()).toBe(0);
    expect(await states(stage)).toEqual({ files: 'ready', 'two words': 'ready' });
    const quiet = stage.pipe(['--plain', 'hi']);
    expect(await quiet.end()).toBe(0);
    expect(quiet.stdout()).not.toContain('Do you trust');
  });

  it('MC-11: one that changed in a trusted folder asks again; no goes on without it', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: runs('a') }));
    await trust(stage);
    await runProgram(['mcp', 'approve', '--all'], stage.at);
    await stage.write('.mcp.json', mcp({ files: runs('b') }));
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('n');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('This folder has MCP servers that you have not approved');
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

  it('MC-11: what can not be seen is written out, and a rejected or strict session asks nothing', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: { command: 'x', args: ['\u202ecod\u001b[2J', 'аpt'] } }));
    await trust(stage);
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('n');
    await plain.end();
    expect(plain.stdout()).toContain('\\u{202e}cod');
    expect(plain.stdout()).not.toContain('\u001b[2J');
    expect(plain.stdout()).toContain('not plain ASCII, may look like something else');
    const strict = stage.pipe(['--plain', 'hi', '--strict-mcp-config']);
    await strict.end();
    expect(strict.stdout()).not.toContain('These MCP servers');
    await stage.settings({ disabledMcpjsonServers: ['files'] });
    const rejected = stage.pipe(['--plain', 'hi']);
    await rejected.end();
    expect(rejected.stdout()).not.toContain('These MCP servers');
  });

  it('MC-11: of 1,000 servers a yes covers those that were shown', async () => {
    const stage = await setPlainStage(REPLY);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`s${n}`, runs(`${n}`)]));
    await stage.write('.mcp.json', mcp(many));
    await trust(stage);
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('y');
    expect(await plain.end()).toBe(0);
    expect(count(plain.stdout(), '|   runs no-such-server')).toBe(40);
    expect(plain.stdout()).toContain('960 more are not shown: a yes does not cover them');
    expect(Object.values(await states(stage)).filter((status) => status === 'ready')).toHaveLength(40);
  });
});
