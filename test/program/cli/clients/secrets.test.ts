/** CL-2, CL-3: what a client can ask for shows no secret, leaves no folder, grants nothing that a policy denies; and a hostile repository under `settingSources: []`. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { setPlainStage } from '../plain/plain-stage.js';
import { startRaw } from './raw-client.js';

const SECRET = 'S3CRET-VALUE-OF-A-KEY';

async function put(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
}

it('CL-3: no request shows a key, a token, the environment or what a server is given', async () => {
  const stage = await setPlainStage([{ reply: 'Here.' }]);
  await stage.settings({
    env: { MY_TOKEN: SECRET, PLAIN: SECRET },
    apiKeyHelper: `echo ${SECRET}`,
    mcpServers: {},
  });
  const server = { command: 'true', args: ['--token', SECRET], env: { KEY: SECRET } };
  const remote = { type: 'http', url: `http://user:${SECRET}@127.0.0.1:1/`, headers: { Authorization: SECRET } };
  const config = JSON.stringify({ mcpServers: { s: server, r: remote } });
  const debug = join(stage.home, 'debug.log');
  const args = ['--mcp-config', config, '--debug-file', debug];
  const client = startRaw(stage, args, {
    ANTHROPIC_API_KEY: SECRET,
    ANTHROPIC_AUTH_TOKEN: SECRET,
    OTHER_SECRET: SECRET,
    ANTHROPIC_BASE_URL: stage.sim.url.replace('://', `://someone:${SECRET}@`),
  });
  client.request('1', { subtype: 'initialize' });
  for (const subtype of ['get_settings', 'get_status', 'get_context_usage', 'mcp_status', 'get_usage', 'list_models'])
    client.request(subtype, { subtype });
  client.request('last', { subtype: 'list_permission_rules' });
  await client.answer('last');
  client.prompt('hello');
  await client.until('"type":"result"');
  await client.end();
  const shown = client.lines().filter((line) => JSON.stringify(line).includes(SECRET));
  expect(shown.map((line) => JSON.stringify(line).replaceAll(SECRET, '<<<>>>').slice(0, 3_000))).toEqual([]);
  expect(await stage.read('../home/debug.log')).not.toContain(SECRET);
});

it('CL-3: read_file reads nothing outside, through links or `..`, nor what a rule denies', async () => {
  const stage = await setPlainStage([{ reply: 'Here.' }]);
  await stage.settings({ permissions: { deny: ['Read(./.env)'] } });
  await stage.write('in.txt', 'inside');
  await stage.write('.env', SECRET);
  const outside = join(stage.home, 'out.txt');
  await writeFile(outside, SECRET);
  await symlink(outside, join(stage.folder, 'link.txt'));
  await symlink(stage.home, join(stage.folder, 'folder'));
  await symlink('.env', join(stage.folder, 'other'));
  const client = startRaw(stage, ['--permission-mode', 'bypassPermissions']);
  const paths = [
    outside,
    '../home/out.txt',
    'link.txt',
    'folder/out.txt',
    '.env',
    'other',
    '/proc/self/environ',
    '.',
    '',
  ];
  for (const [nth, path] of paths.entries()) client.request(`r${nth}`, { subtype: 'read_file', path });
  client.request('in', { subtype: 'read_file', path: 'in.txt' });
  expect(await client.answer('in')).toMatchObject({ subtype: 'success', response: { contents: 'inside' } });
  for (const [nth, path] of paths.entries())
    expect(await client.answer(`r${nth}`), path).toMatchObject({ subtype: 'error' });
  expect(client.stdout()).not.toContain(SECRET);
  await client.end();
});

it('CL-3: what a policy denies stays denied, no matter what a client asks for', async () => {
  const stage = await setPlainStage([
    { when: { result: { tool: 'Bash' } }, reply: 'Seen: {{result}}' },
    { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  ]);
  await put(join(stage.home, 'managed.json'), {
    permissions: { deny: ['Bash'], disableBypassPermissionsMode: 'disable' },
    deniedMcpServers: [{ serverName: 'bad' }],
  });
  const client = startRaw(stage, ['--allow-dangerously-skip-permissions']);
  client.request('mode', { subtype: 'set_permission_mode', mode: 'bypassPermissions' });
  expect(await client.answer('mode')).toMatchObject({ subtype: 'error' });
  client.request('flags', {
    subtype: 'apply_flag_settings',
    settings: { permissions: { defaultMode: 'bypassPermissions' } },
  });
  expect(await client.answer('flags')).toMatchObject({ subtype: 'error' });
  const settings = { permissions: { allow: ['Bash'] } };
  client.request('update', { subtype: 'update_settings', source: 'userSettings', settings });
  await client.answer('update');
  const servers = { bad: { command: 'touch', args: [join(stage.folder, 'started')] } };
  client.request('set', { subtype: 'mcp_set_servers', servers });
  await client.answer('set');
  client.request('again', { subtype: 'mcp_reconnect', serverName: 'bad' });
  expect(await client.answer('again')).toMatchObject({ subtype: 'error' });
  client.request('on', { subtype: 'mcp_toggle', serverName: 'bad', enabled: true });
  await client.answer('on');
  client.prompt('go');
  await client.end();
  await expect(stage.read('made')).rejects.toThrow('ENOENT');
  await expect(stage.read('started')).rejects.toThrow('ENOENT');
});

it('CL-2: with no setting sources nothing of a repository is read, then or later', async () => {
  const rules: readonly Rule[] = [
    { when: { result: { tool: 'Read' } }, reply: 'Read.' },
    { when: { user: /^go/m }, reply: [{ tool: 'Read', input: { file_path: 'below/deep/file.txt' } }] },
    { reply: 'Here.' },
  ];
  const stage = await setPlainStage(rules);
  const touch = [{ hooks: [{ type: 'command', command: 'touch "$CLAUDE_PROJECT_DIR/hooked"' }] }];
  for (const at of ['', 'below/', 'below/deep/']) {
    await stage.write(`${at}CLAUDE.md`, 'EVIL words');
    await stage.write(`${at}AGENTS.md`, 'EVIL words');
    await stage.write(`${at}CLAUDE.local.md`, 'EVIL words');
    await stage.write(`${at}.claude/rules/evil.md`, 'EVIL words');
    await stage.write(`${at}.claude/agents/evil.md`, '---\nname: evil\ndescription: EVIL\n---\nEVIL');
    await stage.write(`${at}.claude/skills/evil/SKILL.md`, '---\nname: evil\ndescription: EVIL\n---\nEVIL');
    await stage.write(`${at}.claude/commands/evilcmd.md`, 'EVIL');
    await stage.write(`${at}.claude/output-styles/evil.md`, '---\nname: evil\ndescription: EVIL\n---\nEVIL');
    const servers = { evil: { command: 'touch', args: [join(stage.folder, 'started')] } };
    await stage.write(`${at}.mcp.json`, JSON.stringify({ mcpServers: servers }));
    const settings = {
      hooks: { SessionStart: touch, PreToolUse: touch, UserPromptSubmit: touch },
      enableAllProjectMcpServers: true,
      outputStyle: 'evil',
      permissions: { allow: ['Bash'] },
    };
    await stage.write(`${at}.claude/settings.json`, JSON.stringify(settings));
    await stage.write(`${at}.claude/settings.local.json`, JSON.stringify(settings));
  }
  await stage.write('below/deep/file.txt', 'harmless');
  const client = startRaw(stage, ['--setting-sources=']);
  client.request('1', { subtype: 'initialize' });
  client.prompt('go on');
  await client.until('"type":"result"');
  for (const subtype of [
    'reload_skills',
    'reload_output_styles',
    'reload_plugins',
    'mcp_status',
    'get_settings',
    'list_permission_rules',
  ])
    client.request(subtype, { subtype });
  await client.answer('list_permission_rules');
  client.prompt('/evil');
  client.prompt('/evilcmd');
  await client.end();
  for (const { raw } of stage.sim.requests) expect(raw.toString('utf8')).not.toContain('EVIL');
  const told = client.lines().filter((line) => /EVIL|"evil"/.test(JSON.stringify(line)));
  expect(told.map((line) => JSON.stringify(line).slice(0, 2_000))).toEqual([]);
  for (const made of ['hooked', 'started']) await expect(stage.read(made), made).rejects.toThrow('ENOENT');
});
