/** CL-3: control requests that ask for facts, or change settings and servers. */

import { createSdkMcpServer, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import * as z from 'zod';
import { smallServer } from '../../support/mcp/small-server.js';
import { type Case, runCases, toolNames } from './cases.js';
import type { Live, SdkStage } from './sdk-stage.js';

const PING = smallServer({
  name: 'small',
  tools: [{ name: 'ping', result: { content: [{ type: 'text', text: 'MARKER-PONG' }] } }],
});

/** Asks after a first prompt. */
function asked(
  about: string,
  says: string,
  ask: (live: Live, stage: SdkStage) => Promise<void>,
  options: Options = {},
): Case {
  return {
    about,
    says,
    play: async (stage) => {
      const live = stage.open(options);
      live.say('hello');
      await live.result(1);
      await ask(live, stage);
      expect((await live.end()).error).toBeUndefined();
    },
  };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it was not refused',
    (error: Error) => error.message,
  );
}

const SKILL = '---\nname: sawing\ndescription: how to saw\n---\nSaw.\n';

const CASES: readonly Case[] = [
  asked('get_context_usage', '`categories`, `totalTokens`, `maxTokens`, `percentage`, `model`', async (live) => {
    const usage = await live.query.getContextUsage();
    expect(usage.totalTokens).toBeGreaterThan(0);
    expect(usage.maxTokens).toBeGreaterThan(usage.totalTokens);
    expect(usage.model).toMatch(/^claude-/);
    expect(usage.percentage).toEqual(expect.any(Number));
    expect(usage.categories.length).toBeGreaterThan(1);
    for (const one of usage.categories) {
      expect(one).toMatchObject({ name: expect.any(String), tokens: expect.any(Number), color: expect.any(String) });
    }
  }),
  asked('get_session_cost', '`text`', async (live) => {
    const answer = await live.request({ subtype: 'get_session_cost' });
    expect(answer.text).toMatch(/\$\d/);
  }),
  asked('get_usage', 'cost, durations and tokens of the session; no subscription', async (live) => {
    const usage = await live.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
    expect(usage).toMatchObject({
      session: {
        total_api_duration_ms: expect.any(Number),
        total_duration_ms: expect.any(Number),
        total_lines_added: expect.any(Number),
        total_lines_removed: expect.any(Number),
        model_usage: {
          [String((await live.result(1)).modelUsage && Object.keys((await live.result(1)).modelUsage as object)[0])]:
            expect.any(Object),
        },
      },
      subscription_type: null,
      rate_limits_available: false,
    });
    expect(usage.session.total_cost_usd).toBe((await live.result(1)).total_cost_usd);
  }),
  asked(
    'get_settings',
    '`effective`, `sources`, `applied`',
    async (live) => {
      const answer = await live.request({ subtype: 'get_settings' });
      expect(answer).toMatchObject({
        effective: { model: 'haiku' },
        sources: expect.arrayContaining([
          expect.objectContaining({ settings: expect.objectContaining({ model: 'haiku' }) }),
        ]),
        applied: { model: 'claude-haiku-5-5' },
      });
    },
    { settings: { model: 'haiku' } },
  ),
  asked(
    'update_settings',
    'writes to the person’s or the local settings file, and holds at once',
    async (live, stage) => {
      await live.query.updateSettings('localSettings', { permissions: { deny: ['Bash(rm:*)'] } });
      expect(JSON.parse(await stage.read('.claude/settings.local.json'))).toMatchObject({
        permissions: { deny: ['Bash(rm:*)'] },
      });
      const { state } = await live.request({ subtype: 'list_permission_rules' });
      expect(JSON.stringify(state)).toContain('rm:*');
    },
  ),
  asked('apply_flag_settings', 'settings for this session alone', async (live, stage) => {
    await live.query.applyFlagSettings({ model: 'haiku' });
    live.say('more');
    await live.result(2);
    expect(stage.sim.requests.at(-1)?.body.model).toBe('claude-haiku-5-5');
  }),
  asked('list_models', '`value`, `displayName`, `description`, and what each can do', async (live) => {
    const { models } = await live.request({ subtype: 'list_models' });
    expect(models).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          value: 'opus',
          resolvedModel: expect.stringMatching(/^claude-opus/),
          displayName: expect.any(String),
          description: expect.any(String),
          supportsEffort: true,
          supportedEffortLevels: expect.arrayContaining(['high']),
        }),
      ]),
    );
  }),
  asked(
    'list_permission_rules',
    '`state` with `rules` and where each comes from',
    async (live, stage) => {
      const { state } = await live.request({ subtype: 'list_permission_rules' });
      expect(state).toMatchObject({ originalCwd: stage.folder, managedOnly: false });
      expect(JSON.stringify(state)).toContain('npm test:*');
    },
    { allowedTools: ['Bash(npm test:*)'] },
  ),
  asked('get_status', '`sections` with `rows` of `label` and `value`', async (live, stage) => {
    const { sections } = await live.request({ subtype: 'get_status' });
    const text = JSON.stringify(sections);
    expect(text).toContain(stage.folder);
    expect(text).toContain(String((await live.result(1)).session_id));
    expect(sections).toEqual(
      expect.arrayContaining([expect.objectContaining({ title: expect.any(String), rows: expect.any(Array) })]),
    );
  }),
  asked('reload_skills', 'a skill that was written meanwhile is there', async (live, stage) => {
    await stage.write('../home/.claude/skills/sawing/SKILL.md', SKILL);
    const { skills } = await live.query.reloadSkills();
    expect(skills).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'sawing' })]));
  }),
  asked('reload_plugins', '`commands`, `agents`, `plugins`, `mcpServers`, `error_count`', async (live, stage) => {
    await stage.write('../home/.claude/agents/oak.md', '---\nname: oak\ndescription: looks\n---\nYou are oak.\n');
    expect(await live.query.reloadPlugins()).toMatchObject({
      commands: expect.any(Array),
      agents: expect.arrayContaining([expect.objectContaining({ name: 'oak' })]),
      plugins: [],
      mcpServers: [],
      error_count: 0,
    });
  }),
  asked('reload_output_styles', '`available_output_styles`', async (live, stage) => {
    await stage.write('../home/.claude/output-styles/terse.md', '---\nname: terse\ndescription: d\n---\nBe terse.\n');
    const { available_output_styles } = await live.query.reloadOutputStyles();
    expect(available_output_styles).toEqual(expect.arrayContaining(['default', 'terse']));
  }),
  asked(
    'read_file',
    '`contents` and `absPath` of a file of the folder; null where it can’t be read',
    async (live, stage) => {
      await stage.write('notes.txt', 'MARKER-NOTES\n');
      expect(await live.query.readFile('notes.txt')).toMatchObject({
        contents: 'MARKER-NOTES\n',
        absPath: `${stage.folder}/notes.txt`,
      });
      expect(await live.query.readFile('nowhere.txt').catch(() => null)).toBeNull();
    },
  ),
  asked(
    'mcp_status',
    '`name`, `status`, `serverInfo`, `tools`',
    async (live) => {
      expect(await live.query.mcpServerStatus()).toMatchObject([
        { name: 'small', status: 'connected', tools: [{ name: 'ping' }] },
      ]);
    },
    { mcpServers: { small: PING } },
  ),
  asked('mcp_set_servers', 'adds and removes servers while it runs', async (live, stage) => {
    expect(await live.query.setMcpServers({ small: PING })).toMatchObject({
      added: ['small'],
      removed: [],
      errors: {},
    });
    live.say('more');
    await live.result(2);
    expect(toolNames(stage.sim.requests.at(-1)?.body as never)).toContain('mcp__small__ping');
    expect(await live.query.setMcpServers({})).toMatchObject({ added: [], removed: ['small'] });
    expect(await live.query.mcpServerStatus()).toEqual([]);
  }),
  asked('mcp_set_servers', 'servers in the client’s own process too (`mcp_message`)', async (live, stage) => {
    const fell = tool('fell', 'Fells.', { tree: z.string() }, async () => ({ content: [] }));
    const server = createSdkMcpServer({ name: 'forest', tools: [fell] });
    expect(await live.query.setMcpServers({ forest: server })).toMatchObject({ added: ['forest'], errors: {} });
    live.say('more');
    await live.result(2);
    expect(toolNames(stage.sim.requests.at(-1)?.body as never)).toContain('mcp__forest__fell');
  }),
  asked(
    'mcp_toggle',
    'switches a server off and on',
    async (live) => {
      await live.query.toggleMcpServer('small', false);
      expect(await live.query.mcpServerStatus()).toMatchObject([{ name: 'small', status: 'disabled' }]);
      await live.query.toggleMcpServer('small', true);
      expect(await live.query.mcpServerStatus()).toMatchObject([{ name: 'small', status: 'connected' }]);
    },
    { mcpServers: { small: PING } },
  ),
  asked(
    'mcp_reconnect',
    'connects a server anew; one that is not there is an error',
    async (live) => {
      await live.query.reconnectMcpServer('small');
      expect(await live.query.mcpServerStatus()).toMatchObject([{ name: 'small', status: 'connected' }]);
      expect(await refusal(live.query.reconnectMcpServer('nobody'))).toContain('nobody');
    },
    { mcpServers: { small: PING } },
  ),
];

runCases('CL-3', 'fact requests', CASES);
