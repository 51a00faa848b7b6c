/** Servers of a project start after trust and approval, bound to what they are (MC-2, MC-11). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeServer, serverApproval } from '../../../../src/config/approvals/project-servers.js';
import { findInlineServer } from '../../../../src/config/mcp/find-inline-server.js';
import { findUnapprovedServers } from '../../../../src/config/mcp/find-unapproved-servers.js';
import { openTrust } from '../../../../src/config/trust.js';
import { mcp, runs, setServersStage } from './servers-stage.js';

describe('MC-2: trust and approval', () => {
  it('MC-2: a server of the project needs both, wherever in it they are; one of the user’s own needs neither', async () => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ shared: runs('x') }));
    stage.write('project/.claude/settings.json', mcp({ project: runs('x') }));
    stage.write('project/.claude/settings.local.json', mcp({ local: runs('x') }));
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    expect(await stage.running({ trusted: false })).toEqual(['mine']);
    expect(await stage.running()).toEqual(['mine']);
    const { skipped, warnings } = await stage.find();
    expect(skipped.map(({ name, status }) => [name, status])).toEqual(
      ['local', 'project', 'shared'].map((name) => [name, 'not-approved']),
    );
    expect(warnings).toEqual([
      expect.stringMatching(
        /^3 MCP servers of this project are not approved.*local, shared, project.*coppice mcp approve NAME, or pass --trust/,
      ),
    ]);
    await stage.approveAll();
    expect(await stage.running()).toEqual(['local', 'mine', 'project', 'shared']);
    expect((await stage.find()).warnings).toEqual([]);
    // Approved and not trusted is not enough, but for what the user added to the local settings.
    expect(await stage.running({ trusted: false })).toEqual(['local', 'mine']);
    expect(await stage.why('shared', { trusted: false })).toMatch(/not trusted: run coppice trust/);
  });

  it.each([
    ['an argument', { args: ['b'] }],
    ['a variable', { args: ['a'], env: { NODE_OPTIONS: '--import=./x.mjs' } }],
    ['a key that we do not know', { args: ['a'], more: 1 }],
    ['the order of nothing, but another command', { command: 'y', args: ['a'] }],
  ])('MC-2: %s that changes asks again', async (_, changed) => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ s: runs('x', { args: ['a'] }) }));
    await stage.approveAll();
    expect(await stage.running()).toEqual(['s']);
    stage.write('project/.mcp.json', mcp({ s: runs('x', changed) }));
    expect(await stage.running()).toEqual([]);
    const [waiting] = await findUnapprovedServers(await stage.question(), []);
    expect(waiting?.before).toEqual(['runs x a']);
  });

  it('MC-2: the same entry in another file or under another name is another server', async () => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ s: runs('x') }));
    await stage.approveAll();
    stage.write('project/.mcp.json', mcp({ t: runs('x') }));
    expect(await stage.running()).toEqual([]);
    stage.write('project/.mcp.json', '{}');
    stage.write('project/.claude/settings.json', mcp({ s: runs('x') }));
    expect(await stage.running()).toEqual([]);
  });

  it.each([
    ['its command', runs('./serve.sh')],
    ['an argument of an interpreter', runs('node', { args: ['--enable-source-maps', 'serve.sh'] })],
    ['a line for the shell', runs('sh', { args: ['-c', 'cd . && ./serve.sh'] })],
    ['CLAUDE_PROJECT_DIR', runs('${CLAUDE_PROJECT_DIR:-.}/serve.sh')],
    ['its environment', runs('node', { env: { NODE_OPTIONS: '--import=./serve.sh' } })],
    ['headersHelper', { type: 'http', url: 'https://x', headersHelper: 'sh ./serve.sh' }],
  ])('MC-2: the approval holds for the script named in %s as it is', async (_, entry) => {
    const stage = setServersStage();
    stage.write('project/serve.sh', '#!/bin/sh\necho one\n');
    stage.write('project/.mcp.json', mcp({ s: entry }));
    await stage.approveAll();
    expect(await stage.running()).toEqual(['s']);
    stage.write('project/serve.sh', '#!/bin/sh\necho two\n');
    expect(await stage.running()).toEqual([]);
    expect(await stage.why('s')).toMatch(/^not-approved: you have not approved its current version/);
  });

  it('MC-2: a relative command is the one of the launch folder', async () => {
    const stage = setServersStage();
    const folder = join(stage.project, 'app');
    mkdirSync(folder);
    stage.write('project/serve.sh', '#!/bin/sh\n');
    stage.write('project/.mcp.json', mcp({ s: runs('./serve.sh') }));
    await stage.approveAll();
    await stage.approveAll({ folder });
    expect(await stage.running({ folder })).toEqual(['s']);
    stage.write('project/app/serve.sh', '#!/bin/sh\nevil\n');
    expect(await stage.running({ folder })).toEqual([]);
    expect(await stage.running()).toEqual(['s']);
  });

  it('MC-2: what the settings of the project set a variable to is a part of what is approved', async () => {
    const stage = setServersStage();
    stage.write('project/.claude/settings.json', { env: { TOOL: './a' } });
    stage.write('project/.mcp.json', mcp({ s: runs('${TOOL:-x}') }));
    await stage.approveAll({ env: { TOOL: './a' } });
    expect(await stage.running({ env: { TOOL: './a' } })).toEqual(['s']);
    stage.write('project/.claude/settings.json', { env: { TOOL: './evil' } });
    expect(await stage.running({ env: { TOOL: './evil' } })).toEqual([]);
  });

  it('MC-2: --trust approves what is there for this run, and nothing that comes later', async () => {
    const stage = setServersStage();
    const forThisRun = new Set<string>();
    stage.write('project/.mcp.json', mcp({ s: runs('x') }));
    expect(await stage.running({ trustThisRun: true, forThisRun })).toEqual(['s']);
    expect(await stage.running({ forThisRun })).toEqual(['s']);
    stage.write('project/.mcp.json', mcp({ s: runs('x'), later: runs('y') }));
    expect(await stage.running({ forThisRun })).toEqual(['s']);
    expect(await stage.running()).toEqual([]);
  });

  it('MC-2: a session in a worktree has the approvals of the project it was asked for in', async () => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ s: runs('./serve.sh') }));
    stage.write('project/serve.sh', '#!/bin/sh\n');
    await stage.approveAll();
    stage.write('tree/.mcp.json', mcp({ s: runs('./serve.sh') }));
    stage.write('tree/serve.sh', '#!/bin/sh\n');
    const tree = join(stage.folder, 'tree');
    const asked = { folder: tree, projectRoot: tree, approvalsRoot: stage.project };
    expect(await stage.running(asked)).toEqual(['s']);
    expect(await stage.running({ ...asked, approvalsRoot: tree })).toEqual([]);
    renameSync(join(tree, 'serve.sh'), join(tree, 'other.sh'));
    expect(await stage.running(asked)).toEqual([]);
  });
});

describe('MC-11: who may approve', () => {
  it('MC-11: enabledMcpjsonServers and enableAllProjectMcpServers apply from user, managed and --settings', async () => {
    for (const approves of [{ enabledMcpjsonServers: ['s'] }, { enableAllProjectMcpServers: true }]) {
      for (const file of ['home/.claude/settings.json', 'managed.json']) {
        const stage = setServersStage();
        stage.write('project/.mcp.json', mcp({ s: runs('x') }));
        expect(await stage.running()).toEqual([]);
        stage.write(file, approves);
        expect(await stage.running()).toEqual(['s']);
        expect(await stage.running({ trusted: false })).toEqual([]);
      }
      const stage = setServersStage();
      stage.write('project/.mcp.json', mcp({ s: runs('x') }));
      expect(await stage.running({ flagSettings: approves })).toEqual(['s']);
    }
  });

  it('MC-11: no repository approves itself; what its files say preselects', async () => {
    for (const file of ['settings.json', 'settings.local.json']) {
      const stage = setServersStage();
      stage.write('project/.mcp.json', mcp({ s: runs('x'), t: runs('y') }));
      stage.write(`project/.claude/${file}`, { enabledMcpjsonServers: ['s'], enableAllProjectMcpServers: true });
      expect(await stage.running()).toEqual([]);
      expect((await stage.question()).settings.mcp.preselected).toEqual(['s']);
    }
  });

  it('MC-11: by name they approve servers of .mcp.json, not those of other files of the project', async () => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['s'] });
    stage.write('project/.claude/settings.json', mcp({ s: runs('x') }));
    expect(await stage.running()).toEqual([]);
  });

  it('MC-11: disabledMcpjsonServers in any file rejects, also what was approved', async () => {
    const files = [
      'home/.claude/settings.json',
      'project/.claude/settings.json',
      'project/.claude/settings.local.json',
      'managed.json',
    ];
    for (const file of files) {
      const stage = setServersStage();
      stage.write('project/.mcp.json', mcp({ s: runs('x'), t: runs('y') }));
      await stage.approveAll();
      stage.write(file, { disabledMcpjsonServers: ['s'], enabledMcpjsonServers: ['s'] });
      expect(await stage.running()).toEqual(['t']);
      expect(await stage.running({ trustThisRun: true })).toEqual(['t']);
      expect(await stage.why('s')).toMatch(/^off: disabledMcpjsonServers \(.*json\) rejects it/);
      // A rejected one is not asked about.
      expect(await findUnapprovedServers(await stage.question(), [])).toEqual([]);
    }
  });

  it('MC-11: the question shows command, arguments, URL, headers, headersHelper, and the variables sent', async () => {
    const stage = setServersStage();
    stage.write('project/serve.js', 'x');
    const env = { TOKEN_A: 'secret-a', REGION: 'eu' };
    stage.write(
      'project/.mcp.json',
      mcp({
        one: runs('node', { args: ['serve.js', 'a b', '${REGION}'], env: { A: '${TOKEN_A}' }, timeout: 5000 }),
        two: { type: 'http', url: 'https://x/${REGION}', headers: { H: '${TOKEN_A}' }, headersHelper: './h.sh | cat' },
      }),
    );
    const waiting = await findUnapprovedServers(await stage.question({ env }), []);
    const lines = waiting.flatMap(({ server }) => describeServer(server));
    expect(lines).toEqual([
      'one',
      '  runs node serve.js "a b" ${REGION}',
      '  with the environment {"A":"${TOKEN_A}"}',
      '  with {"timeout":5000}',
      '  gets the values of REGION, TOKEN_A from your environment',
      '  and the current content of serve.js; what that runs or loads in turn can change',
      'two',
      '  connects to https://x/${REGION}',
      '  as http',
      '  sends the headers {"H":"${TOKEN_A}"}',
      '  runs ./h.sh | cat for more headers',
      '  gets the values of REGION, TOKEN_A from your environment',
    ]);
    expect(lines.join()).not.toContain('secret-a');
  });

  it('MC-11: what is too long to be shown cannot be approved', async () => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ s: runs('x', { args: ['a'.repeat(5_000)] }), t: runs('y') }));
    await stage.approveAll();
    expect(await stage.running()).toEqual(['t']);
    expect(await stage.why('s')).toMatch(/can't be approved: its entry is too long/);
  });
});

describe('MC-4: servers in the front matter of agents', () => {
  it("MC-4, MC-2: a project's needs approval; the user's own does not; the policy applies to both", async () => {
    const stage = setServersStage();
    const inline = async (scope: 'project' | 'user' | 'flag', asked = {}) => {
      const source = { scope, file: join(stage.project, '.claude/agents/a.md') } as const;
      return findInlineServer(await stage.question(asked), { source, agent: 'a', name: 's', raw: runs('x') });
    };
    expect(await inline('user')).toMatchObject({ ok: true, server: { origin: { scope: 'agent' }, isForeign: false } });
    expect(await inline('user', { trusted: false })).toMatchObject({ ok: true });
    expect(await inline('project', { trusted: false })).toMatchObject({
      ok: false,
      skipped: { status: 'not-approved' },
    });
    const waiting = await inline('project');
    expect(waiting).toMatchObject({ ok: false, skipped: { status: 'not-approved' }, project: { agent: 'a' } });
    if (waiting.ok || waiting.project === undefined) throw new Error('it should wait');
    await openTrust(stage.host).approve(stage.project, [serverApproval(waiting.project)]);
    expect(await inline('project')).toMatchObject({ ok: true, server: { isForeign: true } });
    expect(await inline('project', { strict: true })).toMatchObject({ ok: false, skipped: { status: 'off' } });
    expect(await inline('flag', { strict: true })).toMatchObject({ ok: true });
    stage.write('home/.claude/settings.json', { deniedMcpServers: [{ serverCommand: ['x'] }] });
    expect(await inline('project')).toMatchObject({ ok: false, skipped: { status: 'blocked' } });
    expect(await inline('user')).toMatchObject({ ok: false, skipped: { status: 'blocked' } });
  });
});
