/** Control requests about settings, and those that look at files again, sent by the real SDK to the real program. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { driveBySdk } from '../../../program/cli/clients/requests-stage.js';

const RULES: Rule[] = [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'Refused: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
  { when: { user: 'touch' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'Fine.' },
];

const SECRET = 'hunter2-hunter2';

describe('get_settings', () => {
  it('CL-3: what applies and where it comes from, and no secret', async () => {
    const client = await driveBySdk(RULES, { settings: JSON.stringify({ effort: 'low' }) }, (stage) =>
      stage.settings({
        model: 'haiku',
        env: { PLAIN_NAME: SECRET },
        apiKeyHelper: `echo ${SECRET}`,
        mcpServers: { web: { type: 'http', url: 'http://127.0.0.1:9/', headers: { 'X-Plain': SECRET } } },
        hooks: {
          Stop: [
            { hooks: [{ type: 'http', url: 'http://127.0.0.1:9/', headers: { 'X-Other': SECRET } }] },
            { hooks: [{ type: 'command', command: `true --token ${SECRET}` }] },
          ],
        },
        pluginConfigs: { one: { options: { word: SECRET } } },
        permissions: { allow: ['Bash(ls:*)'] },
      }),
    );
    const settings = await client.request({ subtype: 'get_settings' });
    expect(settings).toMatchObject({
      effective: { model: 'haiku', effort: 'low', env: { PLAIN_NAME: '••••' }, permissions: { allow: ['Bash(ls:*)'] } },
      sources: [
        { source: 'flagSettings', settings: { effort: 'low' } },
        { source: 'userSettings', settings: { model: 'haiku' } },
      ],
      applied: { model: 'claude-haiku-5-5', effort: 'low' },
    });
    expect(JSON.stringify(settings)).not.toContain('hunter2');
    await client.end();
  });
});

describe('update_settings', () => {
  it('CL-3: writes the named file, keeps the rest of it, and a new rule applies at once', async () => {
    const client = await driveBySdk(
      RULES,
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
      async (stage) => {
        await stage.write(
          '.claude/settings.local.json',
          JSON.stringify({ other: 1, permissions: { ask: ['WebFetch'] } }),
        );
      },
    );
    await client.query.updateSettings('localSettings', { permissions: { deny: ['Bash(touch:*)'] } });
    expect(JSON.parse(await client.read('.claude/settings.local.json'))).toEqual({
      other: 1,
      permissions: { ask: ['WebFetch'], deny: ['Bash(touch:*)'] },
    });
    client.say('touch');
    expect((await client.result()).result).toMatch(/Refused/);
    const { state } = (await client.request({ subtype: 'list_permission_rules' })) as {
      state: Record<string, unknown>;
    };
    expect(state).toMatchObject({ originalCwd: client.folder, managedOnly: false, workspaceDirectories: [] });
    expect(state.rules).toEqual(
      expect.arrayContaining([
        { behavior: 'deny', rule: 'Bash(touch:*)', source: 'localSettings', editability: 'persistent' },
        { behavior: 'ask', rule: 'WebFetch', source: 'localSettings', editability: 'persistent' },
      ]),
    );
    await client.end();
  });

  it('CL-3: the model of the user settings is taken up; null takes a key out; the rest applies later', async () => {
    const client = await driveBySdk(RULES);
    const update = (settings: object) =>
      client.request({ subtype: 'update_settings', source: 'userSettings', settings });
    expect(await update({ model: 'haiku', effortLevel: 'low', outputStyle: 'Learning' })).toEqual({
      applied: ['model', 'effort'],
      next_start: ['outputStyle'],
    });
    const file = join(client.home, '.claude', 'settings.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      model: 'haiku',
      effort: 'low',
      outputStyle: 'Learning',
    });
    client.say('hello');
    await client.result();
    expect(client.sim.requests.at(-1)?.body.model).toBe('claude-haiku-5-5');
    await update({ outputStyle: null });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'haiku', effort: 'low' });
    await client.end();
  });

  it('CL-3: what is empty, unknown, wrong, or would be ignored is refused, and nothing is written', async () => {
    const client = await driveBySdk(RULES);
    const refused = (source: unknown, settings: unknown) =>
      client.refusal({ subtype: 'update_settings', source, settings });
    expect(await refused('localSettings', {})).toBe('no settings given');
    expect(await refused('localSettings', undefined)).toMatch(/settings must be an object/);
    expect(await refused('policySettings', { model: 'x' })).toMatch(/source must be/);
    expect(await refused('userSettings', { model: 7 })).toMatch(/model/);
    expect(await refused('userSettings', { permissions: { allow: 'Bash' } })).toMatch(/permissions\.allow/);
    expect(await refused('userSettings', { colour: 'red', font: 'serif' })).toMatch(/no effect here: colour, font/);
    expect(await refused('localSettings', { apiKeyHelper: 'echo' })).toMatch(
      /not allowed in local settings: apiKeyHelper/,
    );
    expect(await refused('localSettings', { permissions: { allow: ['Bash'] } })).toMatch(
      /not trusted.*permissions\.allow/,
    );
    await expect(client.read('.claude/settings.local.json')).rejects.toThrow();
    client.say('hello');
    expect(await client.result()).toMatchObject({ subtype: 'success' });
    await client.end();
  });

  it('CL-3: a source that the session does not read is refused', async () => {
    const client = await driveBySdk(RULES, { settingSources: ['project'] });
    expect(
      await client.refusal({ subtype: 'update_settings', source: 'userSettings', settings: { model: 'haiku' } }),
    ).toMatch(/does not read the user settings/);
    await client.end();
  });
});

describe('what changes while it is open', () => {
  it('CL-3: apply_flag_settings serves model, effort and mode, all or nothing', async () => {
    const client = await driveBySdk(RULES);
    const refused = (settings: unknown) => client.refusal({ subtype: 'apply_flag_settings', settings });
    expect(await refused({ model: 'haiku', hooks: {}, permissions: { allow: [] } })).toMatch(
      /hooks, permissions\.allow/,
    );
    expect(await refused({ model: 'haiku', effortLevel: 'enormous' })).toMatch(/effort must be one of/);
    expect(await refused({ model: 'haiku', permissions: { defaultMode: 'bypassPermissions' } })).toMatch(/defaultMode/);
    expect(await refused({ model: 7 })).toMatch(/model must be/);
    expect(await refused('haiku')).toMatch(/settings must be an object/);
    expect(await client.request({ subtype: 'get_settings' })).toMatchObject({ applied: { model: 'claude-opus-5-5' } });
    await client.query.applyFlagSettings({ model: 'haiku', effortLevel: 'low', permissions: { defaultMode: 'plan' } });
    expect(await client.request({ subtype: 'get_settings' })).toMatchObject({
      applied: { model: 'claude-haiku-5-5', effort: 'low' },
    });
    expect(JSON.stringify(await client.request({ subtype: 'get_status' }))).toContain('"plan"');
    await client.query.applyFlagSettings({ model: null });
    client.say('hello');
    await client.result();
    expect(client.sim.requests.at(-1)?.body.model).toBe('claude-opus-5-5');
    await client.end();
  });

  it('CL-3: set_max_thinking_tokens and rename_session', async () => {
    const client = await driveBySdk(RULES, { model: 'claude-sonnet-4-5' });
    await client.query.setMaxThinkingTokens(2_000);
    client.say('hello');
    await client.result();
    expect(client.sim.requests.at(-1)?.body.thinking).toMatchObject({ type: 'enabled', budget_tokens: 2_000 });
    await client.query.setMaxThinkingTokens(0);
    client.say('hello');
    await client.result(2);
    expect(client.sim.requests.at(-1)?.body.thinking).not.toMatchObject({ type: 'enabled' });
    const thinking = (fields: object) => client.refusal({ subtype: 'set_max_thinking_tokens', ...fields });
    expect(await thinking({ max_thinking_tokens: '9' })).toMatch(/max_thinking_tokens must be/);
    expect(await thinking({ max_thinking_tokens: 9_000, thinking_display: 'all' })).toMatch(/thinking_display must be/);
    await client.request({ subtype: 'rename_session', title: 'about trees' });
    expect(JSON.stringify(await client.request({ subtype: 'get_status' }))).toContain('about trees');
    expect(await client.refusal({ subtype: 'rename_session' })).toMatch(/title must be/);
    expect(await client.refusal({ subtype: 'rename_session', title: ['x'] })).toMatch(/title must be/);
    expect(await client.refusal({ subtype: 'rename_session', title: 'x', session_id: 'other' })).toMatch(/not other/);
    expect(await client.refusal({ subtype: 'seed_read_state', path: 'a' })).toMatch(/not supported/);
    await client.end();
  });
});

describe('files that are looked at again', () => {
  it('CL-3: reload_skills, reload_output_styles and reload_plugins list what was written meanwhile', async () => {
    const client = await driveBySdk(RULES);
    client.say('hello');
    await client.result();
    const own = (name: string, text: string) => client.write(`../home/.claude/${name}`, text);
    await own(
      'skills/saw/SKILL.md',
      '---\nname: saw\ndescription: how to saw\nargument-hint: "[tree]"\n---\nSaw $ARGUMENTS.\n',
    );
    await own('agents/oak.md', '---\nname: oak\ndescription: looks\nmodel: haiku\n---\nOak.\n');
    await own('output-styles/terse.md', '---\nname: terse\ndescription: d\n---\nBe terse.\n');
    expect(await client.query.reloadSkills()).toEqual({
      skills: [{ name: 'saw', description: 'how to saw', argumentHint: '[tree]' }],
    });
    const { available_output_styles } = await client.query.reloadOutputStyles();
    expect(available_output_styles).toEqual(['default', 'terse', 'Explanatory', 'Learning']);
    const reloaded = await client.query.reloadPlugins();
    const commands = expect.arrayContaining([expect.objectContaining({ name: 'saw' })]);
    expect(reloaded).toMatchObject({ plugins: [], mcpServers: [], error_count: 0, commands });
    expect(reloaded.agents).toContainEqual({ name: 'oak', description: 'looks', model: 'haiku' });
    // They count from the next prompt on, and the model gets a message.
    client.say('/saw oak');
    await client.result(2);
    const { messages } = client.sim.requests.at(-1)?.body ?? {};
    expect(JSON.stringify(messages)).toContain('Saw oak.');
    expect(JSON.stringify(messages)).toContain('oak: looks');
    await client.end();
  });

  it('CL-3: a plugin that came meanwhile is named: it applies from the next start on', async () => {
    const client = await driveBySdk(RULES);
    await client.request({ subtype: 'get_status' });
    const folder = join(client.home, 'plugin');
    await client.write(
      '../home/plugin/.claude-plugin/plugin.json',
      JSON.stringify({ name: 'forest', version: '1.0.0' }),
    );
    await client.settings({ plugins: [folder] });
    expect(await client.refusal({ subtype: 'reload_plugins' })).toMatch(/forest added.*next start/);
    const more = { subtype: 'reload_plugins', add_plugins: [{ type: 'local', path: folder }] };
    expect(await client.refusal(more)).toMatch(/not supported in this version: add_plugins/);
    await client.end();
  });
});
