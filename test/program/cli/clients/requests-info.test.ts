/** Control requests that only look, sent by the real SDK to the real program. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../../src/config/version.js';
import { driveBySdk } from './requests-stage.js';

const RULES = [
  { when: { result: { tool: 'Write' } }, reply: 'Written.' },
  { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'new.txt', content: 'a\nb\nc\n' } }] },
  { reply: 'Fine.' },
];

describe('what takes up the window', () => {
  it('CL-3: get_context_usage gives parts that add up to what the API counted', async () => {
    const client = await driveBySdk(RULES, {}, async (stage) => {
      await stage.write('CLAUDE.md', 'Always measure twice. '.repeat(200));
      await stage.write('../home/.claude/agents/oak.md', '---\nname: oak\ndescription: looks at trees\n---\nOak.\n');
      await stage.write('../home/.claude/skills/saw/SKILL.md', '---\nname: saw\ndescription: how to saw\n---\nSaw.\n');
    });
    const before = await client.query.getContextUsage();
    client.say('hello');
    await client.result();
    const usage = await client.query.getContextUsage();
    const row = (id: string) => usage.categories.find((one) => one.id === id);
    const used = usage.categories.filter(({ kind }) => kind === 'used').reduce((sum, { tokens }) => sum + tokens, 0);
    const [reply] = client.messages.filter(({ type }) => type === 'result');
    const counted = Object.values((reply?.usage ?? {}) as Record<string, unknown>).filter((n) => typeof n === 'number');
    expect(usage.totalTokens).toBeGreaterThanOrEqual(counted.reduce((sum: number, one) => sum + Number(one), 0));
    expect(Math.abs(used - usage.totalTokens)).toBeLessThanOrEqual(usage.categories.length);
    expect(usage).toMatchObject({ model: 'claude-opus-5-5', maxTokens: 1_000_000, isAutoCompactEnabled: true });
    expect(usage.percentage).toBe(Math.round((usage.totalTokens / 1_000_000) * 100));
    expect(usage.memoryFiles).toEqual([
      { path: join(client.folder, 'CLAUDE.md'), type: expect.any(String), tokens: expect.any(Number) },
    ]);
    expect(usage.memoryFiles[0]?.tokens).toBeGreaterThan(500);
    expect(row('memory_files')?.tokens).toBe(usage.memoryFiles[0]?.tokens);
    expect(usage.systemTools?.map(({ name }) => name)).toEqual(expect.arrayContaining(['Bash', 'Read', 'Agent']));
    expect(usage.agents).toEqual(
      expect.arrayContaining([expect.objectContaining({ agentType: 'oak', source: 'user' })]),
    );
    expect(usage.skills?.skillFrontmatter).toMatchObject([{ name: 'saw', source: 'user' }]);
    expect(row('free_space')?.kind).toBe('free');
    expect(usage.autoCompactThreshold).toBeLessThan(1_000_000);
    // Before the first prompt it is what the first request will have.
    expect(before.totalTokens).toBeGreaterThan(1_000);
    expect(before.memoryFiles).toHaveLength(1);
    expect(await client.refusal({ subtype: 'get_context_usage', detail: 'all' })).toMatch(/detail must be/);
    client.say('hello');
    expect(await client.result(2)).toMatchObject({ subtype: 'success' });
    await client.end();
  });

  it('CL-3: what tools did is a part of the messages', async () => {
    const client = await driveBySdk(RULES, { permissionMode: 'acceptEdits' });
    client.say('write');
    await client.result();
    const { messageBreakdown } = await client.query.getContextUsage();
    expect(messageBreakdown?.toolCallsByType).toMatchObject([{ name: 'Write' }]);
    expect(messageBreakdown?.toolCallTokens).toBeGreaterThan(0);
    expect(messageBreakdown?.toolResultTokens).toBeGreaterThan(0);
    await client.end();
  });
});

describe('what it cost, what it is', () => {
  it('CL-3: get_session_cost and get_usage report what the result said, with the lines that changed', async () => {
    const client = await driveBySdk(RULES, { permissionMode: 'acceptEdits' });
    client.say('write');
    const result = await client.result();
    const usage = await client.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
    expect(usage).toMatchObject({ subscription_type: null, rate_limits_available: false, rate_limits: null });
    expect(usage.session.total_cost_usd).toBe(result.total_cost_usd);
    expect(usage.session.model_usage).toEqual(result.modelUsage);
    expect(usage.session.total_duration_ms).toBeGreaterThan(0);
    expect(usage.session.total_lines_added).toBe(3);
    expect(usage.session.total_lines_removed).toBe(0);
    const { text } = await client.request({ subtype: 'get_session_cost' });
    expect(text).toContain(`$${Number(result.total_cost_usd).toFixed(4)}`);
    await client.end();
  });

  it('CL-3: list_models, get_status, get_binary_version', async () => {
    const client = await driveBySdk(RULES, { model: 'sonnet' });
    client.say('hello');
    const { session_id } = await client.result();
    const { models } = (await client.request({ subtype: 'list_models' })) as { models: { value: string }[] };
    expect(models.find(({ value }) => value === 'default')).toMatchObject({ resolvedModel: 'claude-sonnet-5-5' });
    expect(models.find(({ value }) => value === 'opus')).toMatchObject({
      resolvedModel: 'claude-opus-5-5',
      supportsEffort: true,
      supportedEffortLevels: expect.arrayContaining(['low', 'max']),
      supportsAdaptiveThinking: true,
    });
    const { sections } = await client.request({ subtype: 'get_status' });
    const text = JSON.stringify(sections);
    expect(text).toContain(session_id);
    expect(text).toContain(client.folder);
    expect(text).toContain('claude-sonnet-5-5');
    expect(text).toContain('ANTHROPIC_API_KEY');
    expect(text).not.toContain('test-key');
    expect(await client.request({ subtype: 'get_binary_version' })).toEqual({ version: VERSION });
    await client.end();
  });
});

describe('a file', () => {
  it("CL-3: read_file reads in the session's folders what the rules let it read, and nothing else", async () => {
    const client = await driveBySdk(RULES, {}, async (stage) => {
      await stage.settings({ permissions: { deny: ['Read(secret.txt)'], allow: ['Read(//etc/**)'] } });
      await stage.write('a.txt', 'äpple\n');
      await stage.write('secret.txt', 'no');
      await stage.write('../outside.txt', 'no');
      await symlink('../outside.txt', join(stage.folder, 'link.txt'));
      await writeFile(join(stage.folder, 'raw.bin'), Buffer.from([0xff, 0xfe, 0x00]));
      await mkdir(join(stage.folder, 'folder'));
    });
    const path = join(client.folder, 'a.txt');
    const read = (fields: Record<string, unknown>) => client.request({ subtype: 'read_file', ...fields });
    const refused = (fields: Record<string, unknown>) => client.refusal({ subtype: 'read_file', ...fields });
    expect(await client.query.readFile('a.txt')).toMatchObject({ contents: 'äpple\n', absPath: path });
    expect(await read({ path })).toEqual({ contents: 'äpple\n', absPath: path, lossy: false });
    expect(await read({ path, max_bytes: 1 })).toMatchObject({ truncated: true, lossy: true });
    expect(await read({ path: 'raw.bin' })).toMatchObject({ lossy: true });
    expect(await read({ path: 'raw.bin', encoding: 'base64' })).toMatchObject({ contents: '//4A', encoding: 'base64' });
    expect(await refused({ path: 'secret.txt' })).toMatch(/secret\.txt can't be read/);
    for (const out of ['../outside.txt', 'link.txt', '/etc/hostname']) {
      expect(await refused({ path: out })).toMatch(/can't be read/);
    }
    expect(await refused({ path: 'nowhere.txt' })).toMatch(/no such file/);
    expect(await refused({ path: 'folder' })).toMatch(/can't be read/);
    expect(await refused({})).toMatch(/path must be/);
    expect(await refused({ path: 1 })).toMatch(/path must be/);
    expect(await refused({ path, encoding: 'latin1' })).toMatch(/encoding must be/);
    expect(await refused({ path, max_bytes: -1 })).toMatch(/max_bytes must be/);
    client.say('hello');
    expect(await client.result()).toMatchObject({ subtype: 'success' });
    await client.end();
  });
});
