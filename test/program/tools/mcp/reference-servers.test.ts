import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '../../../../src/config/mcp/server-config.js';
import type { ElicitationRequest } from '../../../../src/protocol/mcp/elicitation.js';
import type { ServerConnection } from '../../../../src/tools/mcp/connect/connection.js';
import { everythingOver } from '../../../support/mcp/reference-servers.js';
import { until } from '../../../support/until.js';
import { callOptions, reference, setStage, textOf } from '../../../unit/tools/mcp/connect/connect-stage.js';

const KINDS = ['stdio', 'http', 'sse'] as const;

const offersTool = (connection: ServerConnection, name: string) => async () =>
  (await connection.listTools()).some((tool) => tool.name === name);

describe.each(KINDS)('everything over %s', (kind) => {
  it('MC-1, MC-8: lists and calls, with images, resources, prompts and errors', async () => {
    const stage = await setStage();
    const connection = await stage.open(await everything(kind, stage.folder));
    expect(connection.offers).toEqual({ tools: true, resources: true, prompts: true });
    expect(connection.instructions).toContain('Everything Server');
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']),
    );
    expect(textOf(await connection.callTool('echo', { message: 'hello' }, callOptions()))).toBe('Echo: hello');
    const image = await connection.callTool('get-tiny-image', {}, callOptions());
    expect(image.content.map(({ type }) => type)).toContain('image');
    const structured = await connection.callTool('get-structured-content', { location: 'Chicago' }, callOptions());
    expect(structured.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    const refused = await connection.callTool('get-sum', { a: 'no number' }, callOptions());
    expect(refused.isError).toBe(true);

    const resources = await connection.listResources();
    const [first] = resources;
    const { signal } = new AbortController();
    expect((await connection.readResource(first?.uri ?? '', signal)).contents[0]?.uri).toBe(first?.uri);
    await expect(connection.readResource('nowhere://x', signal)).rejects.toThrow(/MCP server one: .*nowhere/);

    const prompts = await connection.listPrompts();
    const withArguments = prompts.find(({ name }) => name === 'args-prompt');
    expect(withArguments?.arguments?.map(({ name }) => name)).toEqual(['city', 'state']);
    const prompt = await connection.getPrompt('args-prompt', { city: 'Ghent', state: 'East' }, signal);
    expect(JSON.stringify(prompt.messages)).toContain('Ghent');
    expect(stage.losses).toEqual([]);
  });

  it('MC-6: progress comes line by line, and a cancelled call returns at once', async () => {
    const stage = await setStage();
    const connection = await stage.open(await everything(kind, stage.folder));
    const lines: string[] = [];
    const options = callOptions({ progress: (line) => void lines.push(line) });
    const done = connection.callTool('trigger-long-running-operation', { duration: 0.2, steps: 2 }, options);
    expect(textOf(await done)).toContain('completed');
    // One that comes together with the answer is of no use any more.
    expect(['1/2', '2/2'].slice(0, Math.max(1, lines.length))).toEqual(lines);

    const stop = new AbortController();
    const long = connection.callTool(
      'trigger-long-running-operation',
      { duration: 3600, steps: 36_000 },
      callOptions({ signal: stop.signal, progress: () => stop.abort() }),
    );
    await expect(long).rejects.toThrow('MCP server one: the call was cancelled');
    expect(textOf(await connection.callTool('echo', { message: 'still there' }, callOptions()))).toContain('still');
  });

  it('MC-7, MC-16: elicitations and roots are answered; sampling is not offered', async () => {
    const stage = await setStage();
    const asked: { request: ElicitationRequest; agentId: string | undefined }[] = [];
    const connection = await stage.open(await everything(kind, stage.folder), {
      elicit: async (request, agentId) => {
        asked.push({ request, agentId });
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    await until(offersTool(connection, 'trigger-elicitation-request'));
    const options = callOptions({ agentId: 'agent-7' });
    const answer = await connection.callTool('trigger-elicitation-request', {}, options);
    expect(textOf(answer)).toContain('Ada');
    expect(asked).toMatchObject([{ request: { server: 'one', mode: 'form' }, agentId: 'agent-7' }]);
    const { request } = asked[0] ?? {};
    expect(request?.mode === 'form' && Object.keys(request.schema)).toContain('properties');

    await until(offersTool(connection, 'get-roots-list'));
    await until(async () =>
      textOf(await connection.callTool('get-roots-list', {}, callOptions())).includes(stage.folder),
    );
    expect((await connection.listTools()).map(({ name }) => name)).not.toContain('trigger-sampling-request');
    await until(() => stage.changes.includes('tools'));
  });
});

/** The reference server; over HTTP it is one that the person runs. */
async function everything(kind: (typeof KINDS)[number], folder: string): Promise<ServerConfig> {
  if (kind === 'stdio') return reference('everything', 'stdio', folder);
  return { kind, url: await everythingOver(kind), headers: {} };
}
