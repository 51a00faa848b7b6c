/** `coppice mcp serve` as a real program, driven by the official client. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { buildProgram, ROOT } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

export type Served = {
  readonly client: Client;
  readonly pid: number;
  stderr(): string;
  call(name: string, input?: object): Promise<Called>;
};

export type Called = { readonly isError: boolean; readonly text: string; readonly types: readonly string[] };

export async function setServeStage(rules: readonly Rule[] = []): Promise<Stage> {
  await buildProgram();
  return setStage(rules);
}

export async function serve(
  stage: Pick<Stage, 'folder' | 'env'>,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Promise<Served> {
  const all = Object.entries({ ...stage.env, ...env }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${ROOT}/dist/cli.js`, 'mcp', 'serve', ...args],
    cwd: stage.folder,
    env: Object.fromEntries(all),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    pid: transport.pid ?? -1,
    stderr: () => stderr,
    call: async (name, input = {}) => readResult(await client.callTool({ name, arguments: { ...input } })),
  };
}

export function readResult(result: Awaited<ReturnType<Client['callTool']>>): Called {
  const content = result.content as readonly { readonly type: string; readonly text?: string }[];
  return {
    isError: result.isError === true,
    text: content.map((block) => block.text ?? '').join('\n'),
    types: content.map((block) => block.type),
  };
}
