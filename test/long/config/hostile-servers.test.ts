/** A project may put anything where its servers are expected (GT-32): it costs a line, nothing more. */

import { describe, expect, it } from 'vitest';
import { mcp, runs, setServersStage } from '../../unit/config/mcp/servers-stage.js';

describe('MC-10: hostile files', () => {
  it('MC-10: 10,000 entries', async () => {
    const stage = setServersStage();
    const names = Array.from({ length: 10_000 }, (_, n) => `s${n}`);
    stage.write('project/.mcp.json', mcp(Object.fromEntries(names.map((name) => [name, runs(`./${name}`)]))));
    stage.write('project/.claude/settings.json', { disabledMcpjsonServers: names.slice(0, 9_000) });
    const { servers, skipped, warnings } = await stage.find();
    expect(servers).toEqual([]);
    expect(skipped).toHaveLength(10_000);
    expect(warnings).toEqual([expect.stringMatching(/^1,000 MCP servers .*and 995 more/)]);
    stage.write('project/.mcp.json', mcp(Object.fromEntries(names.map((name) => [name, 7]))));
    stage.write('project/.claude/settings.json', {});
    expect((await stage.find()).warnings).toHaveLength(11);
  });
});
