/** Connections to the reference servers, over every transport they speak. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServerConfig } from '../../../../src/config/mcp/server-config.js';
import { until } from '../../../support/until.js';
import { callOptions, reference, setStage, textOf } from '../../../unit/tools/mcp/connect/connect-stage.js';

it('MC-8: server-filesystem reads and writes in its folder only, and a large file comes whole', async () => {
  const stage = await setStage();
  const folder = join(stage.folder, 'files');
  await mkdir(folder);
  await writeFile(join(folder, 'large.txt'), 'x'.repeat(3_000_000));
  const connection = await stage.open(reference('filesystem', folder), { roots: () => [folder] });
  const large = await connection.callTool('read_text_file', { path: join(folder, 'large.txt') }, callOptions());
  expect(textOf(large).length).toBeGreaterThanOrEqual(3_000_000);
  const outside = await connection.callTool('read_text_file', { path: '/etc/hostname' }, callOptions());
  expect(outside.isError).toBe(true);
});

it('MC-16: a server learns of new folders when it is told that they changed', async () => {
  const stage = await setStage();
  const folders = ['first', 'second'].map((name) => join(stage.folder, name));
  for (const folder of folders) await mkdir(folder);
  const roots = [folders[0] ?? ''];
  const connection = await stage.open(reference('filesystem', stage.folder), { roots: () => roots });
  const allowed = async () => textOf(await connection.callTool('list_allowed_directories', {}, callOptions()));
  await until(async () => (await allowed()).includes('first'));
  roots.push(folders[1] ?? '');
  connection.rootsChanged();
  await until(async () => (await allowed()).includes('second'));
});

it('MC-8: server-memory keeps what it is told', async () => {
  const stage = await setStage();
  const config = reference('memory', stage.folder);
  const connection = await stage.open({
    ...config,
    env: { MEMORY_FILE_PATH: join(stage.folder, 'm.jsonl') },
  } as ServerConfig);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
  await connection.callTool('create_entities', { entities }, callOptions());
  expect(textOf(await connection.callTool('read_graph', {}, callOptions()))).toContain('counts');
});
