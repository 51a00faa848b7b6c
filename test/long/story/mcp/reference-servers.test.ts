/** The reference servers in whole sessions: what they offer is declared, called, attached, asked and refused (MC-8). */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';
import { everythingOver, referenceServer } from '../../../support/mcp/reference-servers.js';
import { callsFor, mcpNames, resultsIn, toolNames, wordsIn } from '../../../support/mcp/told.js';
import { eventsOf, expectAllAccepted, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

const KINDS = ['stdio', 'http'] as const;
const everything = async (kind: (typeof KINDS)[number]) =>
  kind === 'stdio' ? referenceServer('everything') : { type: 'http', url: await everythingOver('http') };
const call = (tool: string, input: object = {}) => ({ tool: `mcp__everything__${tool}`, input: { ...input } });

/** A stage with that server, all of it allowed. */
async function stageWith(kind: (typeof KINDS)[number], rules: Parameters<typeof setStage>[0]) {
  const stage = await setStage([...(rules ?? []), { reply: 'ok' }]);
  await stage.settings({
    mcpServers: { everything: await everything(kind) },
    permissions: { allow: ['mcp__everything'] },
  });
  return stage;
}

describe.each(KINDS)('everything over %s', (kind) => {
  it('MC-1 MC-6 MC-8 its tools are declared and taken; words, images, structure, links, progress and errors come back', async () => {
    const stage = await stageWith(
      kind,
      callsFor('use them', [
        call('echo', { message: 'hello' }),
        call('get-tiny-image'),
        call('get-structured-content', { location: 'Chicago' }),
        call('get-annotated-message', { messageType: 'error', includeImage: true }),
        call('get-resource-links', { count: 2 }),
        call('trigger-long-running-operation', { duration: 0.2, steps: 4 }),
        call('get-sum', { a: 'x', b: 1 }),
        call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
      ]),
    );
    const session = await stage.open();
    const end = await session.send('use them');
    expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'use them: done' });
    expectAllAccepted(stage.sim);
    expect(mcpNames(stage.sim.requests[0])).toEqual(
      expect.arrayContaining(['mcp__everything__echo', 'mcp__everything__get-sum']),
    );
    const [echo, image, structured, annotated, links, long, sum, reference] = resultsIn(stage.sim.requests.at(-1));
    expect(echo).toEqual({ text: 'Echo: hello', isError: false, types: ['text'] });
    expect(image?.types).toContain('image');
    expect(structured?.text).toContain('temperature');
    expect(annotated).toMatchObject({ isError: false, types: expect.arrayContaining(['text', 'image']) });
    expect(links?.text).toMatch(/demo:\/\/resource\/dynamic\/(blob|text)\/1[\s\S]*dynamic\/text\/2/);
    expect(long?.text).toContain('completed');
    expect(sum).toMatchObject({ isError: true });
    expect(reference?.text).toContain('demo://resource/dynamic/text/1');
    const progress = eventsOf(stage, 'call-progressed').map(({ line }) => line);
    expect(progress).toContain('1/4');
  });

  it('MC-7 MC-22 resources by their tools and by @server:uri, prompts by slash, a missing argument by name', async () => {
    const uri = 'demo://resource/static/document/features.md';
    const stage = await stageWith(
      kind,
      callsFor('read it', [
        { tool: 'ListMcpResources', input: {} },
        { tool: 'ReadMcpResource', input: { server: 'everything', uri } },
        { tool: 'ReadMcpResource', input: { server: 'everything', uri: 'demo://nowhere' } },
      ]),
    );
    const session = await stage.open();
    await session.send('read it');
    expect(toolNames(stage.sim.requests[0])).toEqual(expect.arrayContaining(['ListMcpResources', 'ReadMcpResource']));
    const [list, read, missing] = resultsIn(stage.sim.requests.at(-1));
    const entries = list?.text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toContainEqual(expect.objectContaining({ uri, server: 'everything', name: expect.any(String) }));
    expect(read).toMatchObject({ isError: false, text: expect.stringContaining('Everything Server') });
    expect(missing?.isError).toBe(true);

    await session.send(`what is in @everything:${uri}?`);
    const attached = wordsIn(stage.sim.requests.at(-1));
    expect(attached).toContain(`@everything:${uri} is attached.`);
    expect(attached).toContain('Everything Server');

    await session.send('/mcp__everything__args-prompt "Old Ghent" East');
    expect(wordsIn(stage.sim.requests.at(-1))).toMatch(
      /The prompt args-prompt of the MCP server everything follows[\s\S]*What's weather in Old Ghent, East\?/,
    );
    const before = stage.sim.requests.length;
    const refused = await session.send('/mcp__everything__args-prompt');
    expect(refused).toMatchObject({
      reason: 'prompt_refused',
      line: expect.stringContaining('/mcp__everything__args-prompt needs "city"'),
    });
    expect(stage.sim.requests).toHaveLength(before);
    await session.send('/mcp__everything__resource-prompt Text 3');
    expect(wordsIn(stage.sim.requests.at(-1))).toContain('Resource 3: This is a plaintext resource');
    expectAllAccepted(stage.sim);
  });

  it('MC-7 MC-23 MC-16 it asks the person by onPermission; its late tools come at the next prompt; sampling is not offered', async () => {
    const stage = await stageWith(kind, [
      ...callsFor('ask me', [call('trigger-elicitation-request')]),
      ...callsFor('ask again', [call('trigger-elicitation-request')]),
      ...callsFor('sample', [call('trigger-sampling-request', { prompt: 'x' })]),
    ]);
    const asked: PermissionQuestion[] = [];
    const session = await stage.open({
      onPermission: async (question) => {
        asked.push(question);
        return asked.length === 1
          ? { behavior: 'allow', updatedInput: { name: 'Ada' } }
          : { behavior: 'deny', reason: 'not again' };
      },
    });
    await session.send('first');
    await until(
      () => session.serverReports()[0]?.tools.includes('mcp__everything__trigger-elicitation-request') === true,
    );
    await session.send('ask me');
    expect(asked).toMatchObject([{ about: 'elicitation', elicitation: { server: 'everything', mode: 'form' } }]);
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.text).toContain('- Name: Ada');
    await session.send('ask again');
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.text).toContain('User declined');
    expect(asked).toHaveLength(2);
    await session.send('sample');
    expect(mcpNames(stage.sim.requests.at(-1)).some((name) => name.includes('sampling'))).toBe(false);
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)).toMatchObject({ isError: true });
    expectAllAccepted(stage.sim);
  });

  it('MC-6 interrupt() ends a call at once, and the server goes on serving', async () => {
    const stage = await stageWith(kind, [
      ...callsFor('still there', [call('echo', { message: 'yes' })]),
      ...callsFor('take long', [call('trigger-long-running-operation', { duration: 3600, steps: 36_000 })]),
    ]);
    const session = await stage.open();
    const sent = session.send('take long');
    await until(() => eventsOf(stage, 'call-progressed').length > 0, 'the call is under way');
    session.interrupt();
    expect((await sent).reason).toBe('interrupted');
    expect((await session.send('still there')).reason).toBe('completed');
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)).toMatchObject({ text: 'Echo: yes', isError: false });
    expectAllAccepted(stage.sim);
  });
});

it('MC-6 MC-8 MC-20 server-filesystem and server-memory work; a large result is bounded, and the rest is on disk', async () => {
  const stage = await setStage();
  const folder = join(stage.folder, 'files');
  await mkdir(folder);
  // Letters that are a token each.
  const whole = Array.from({ length: 20_000 }, (_, line) => `行${line}の言葉はここにあります`).join('\n');
  await writeFile(join(folder, 'large.txt'), whole);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
  const path = join(folder, 'large.txt');
  stage.sim.use(
    callsFor('work', [
      { tool: 'mcp__files__read_text_file', input: { path } },
      { tool: 'mcp__files__write_file', input: { path: join(folder, 'new.txt'), content: 'written' } },
      { tool: 'mcp__files__read_text_file', input: { path: '/etc/hostname' } },
      { tool: 'mcp__memory__create_entities', input: { entities } },
      { tool: 'mcp__memory__read_graph', input: {} },
    ]),
  );
  await stage.settings({
    mcpServers: {
      files: referenceServer('filesystem', folder),
      memory: { ...referenceServer('memory'), env: { MEMORY_FILE_PATH: join(stage.folder, 'm.jsonl') } },
    },
    permissions: { allow: ['mcp__files', 'mcp__memory'] },
  });
  // The folders that the server allows are those of the session.
  const session = await stage.open({ addDirs: [folder] });
  expect((await session.send('work')).reason, stage.sim.report()).toBe('completed');
  expectAllAccepted(stage.sim);
  const [large, written, outside, , graph] = resultsIn(stage.sim.requests.at(-1));
  expect(large?.text.length).toBeLessThan(40_000);
  const [kept = ''] = /\/[^\s"]+\.txt/.exec(large?.text.replaceAll(path, '') ?? '') ?? [];
  expect(await readFile(kept, 'utf8')).toContain('行19999の');
  expect(written?.isError).toBe(false);
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('written');
  expect(outside?.isError).toBe(true);
  expect(graph?.text).toContain('counts');
  expect(eventsOf(stage, 'call-progressed').map(({ line }) => line)).toContainEqual(
    expect.stringContaining('a large result from files'),
  );
});
