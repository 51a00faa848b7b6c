/** How a user approves a project's MCP servers at the start of an interactive session (MC-11). */

import { describe, expect, it } from 'vitest';
import { mcp, REPLY, runs, states, trust } from '../../../program/cli/mcp/mcp-question-stage.js';
import { count, setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { runProgram } from '../../../support/program.js';

describe('MC-11: the question', () => {
  it('MC-11: where approved servers wait for nothing but trust, that is asked, also if it is all there is', async () => {
    const stage = await setPlainStage(REPLY);
    await stage.write('.mcp.json', mcp({ files: runs('a'), 'two words': runs('b') }));
    await runProgram(['mcp', 'approve', '--all'], stage.at);
    const no = stage.pipe(['--plain', 'hi']);
    no.say('n');
    expect(await no.end()).toBe(0);
    expect(no.stdout()).toContain('Do you trust this folder?');
    expect(no.stdout()).toContain('your approved MCP servers start again: files, "two words"\n');
    expect(await states(stage)).toEqual({ files: 'not-approved', 'two words': 'not-approved' });
    const yes = stage.pipe(['--plain', 'hi']);
    yes.say('y');
    expect(await yes.end()).toBe(0);
    expect(await states(stage)).toEqual({ files: 'ready', 'two words': 'ready' });
    const quiet = stage.pipe(['--plain', 'hi']);
    expect(await quiet.end()).toBe(0);
    expect(quiet.stdout()).not.toContain('Do you trust');
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
    expect(plain.stdout()).toContain('not plain ASCII, may imitate other characters');
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
    expect(plain.stdout()).toContain('960 more not shown; a yes does not include them');
    expect(Object.values(await states(stage)).filter((status) => status === 'ready')).toHaveLength(40);
  });
});
