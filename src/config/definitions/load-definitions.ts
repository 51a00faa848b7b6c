/** All definitions of a session: the winner by name, what it shadows, and every problem on the way (AG-4, AG-5). */

import { createHash } from 'node:crypto';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';
import type { AgentDefinition, DefinitionSource } from './agent-definition.js';
import { decodeText } from './decode-text.js';
import { type DefinitionsQuestion, type RankedSource, rankSources } from './definition-sources.js';
import { type FoundFile, type FoundFiles, findDefinitionFiles } from './find-definition-files.js';

export type LoadedDefinitions = {
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly shadowed: readonly ShadowedDefinition[];
  readonly problems: readonly Problem[];
};

export type ShadowedDefinition = { readonly definition: AgentDefinition; readonly by: DefinitionSource };

type Loaded = { readonly definitions: readonly AgentDefinition[]; readonly problems: readonly Problem[] };

const MAX_BYTES = 1024 * 1024;

export async function loadDefinitions(question: DefinitionsQuestion): Promise<LoadedDefinitions> {
  const sources = await rankSources(question);
  const loaded = await Promise.all(sources.map((source) => loadSource(question.host, source)));
  const definitions = new Map<string, AgentDefinition>();
  const shadowed: ShadowedDefinition[] = [];
  const problems: Problem[] = [];
  for (const source of loaded) {
    problems.push(...source.problems);
    for (const definition of source.definitions) {
      const winner = definitions.get(definition.name);
      if (winner === undefined) definitions.set(definition.name, definition);
      else {
        shadowed.push({ definition, by: winner.source });
        if (source.definitions.includes(winner)) problems.push(twice(definition, winner));
      }
    }
  }
  return { definitions, shadowed, problems };
}

/** Changes whenever a file came, went or was written. Reads names and times only. */
export async function definitionsStamp(question: DefinitionsQuestion): Promise<string> {
  const sources = await rankSources(question);
  const folders = sources.filter((source) => source.kind === 'folder');
  const found = await Promise.all(folders.map((source) => findFiles(question.host, source)));
  const hash = createHash('sha256');
  for (const { files, problems } of found) {
    for (const { file, stat } of files) hash.update(`${file}\0${stat.mtimeMs}\0${stat.size}\0${stat.identity}\n`);
    hash.update(`${problems.length}\n`);
  }
  return hash.digest('hex');
}

async function loadSource(host: Host, source: RankedSource): Promise<Loaded> {
  switch (source.kind) {
    case 'folder':
      return withoutActing(await loadFolder(host, source));
    case 'json': {
      const { parseJsonDefinitions } = await import('./parse-json-definitions.js');
      return withoutActing(parseJsonDefinitions(source.value, source.source));
    }
    case 'setting': {
      const { parseJsonDefinition } = await import('./parse-json-definitions.js');
      const { definition, problems } = parseJsonDefinition(source.name, source.value, source.source);
      return withoutActing({ definitions: definition === undefined ? [] : [definition], problems });
    }
    default:
      return source satisfies never;
  }
}

async function loadFolder(host: Host, source: RankedSource & { kind: 'folder' }): Promise<Loaded> {
  const { files, problems } = await findFiles(host, source);
  const loaded = await Promise.all(files.map((found) => loadFile(host, found, source.source)));
  return {
    definitions: loaded.flatMap((one) => one.definitions),
    problems: [...problems, ...loaded.flatMap((one) => one.problems)],
  };
}

function findFiles(host: Host, { folder, within }: RankedSource & { kind: 'folder' }): Promise<FoundFiles> {
  return findDefinitionFiles(host, folder, within === undefined ? {} : { within });
}

async function loadFile(host: Host, { file, stat }: FoundFile, from: Omit<DefinitionSource, 'file'>): Promise<Loaded> {
  const skipped = (reason: string): Loaded => ({
    definitions: [],
    problems: [{ severity: 'error', file, line: 1, message: `skipped: ${reason}` }],
  });
  if (stat.size > MAX_BYTES) return skipped(`too big (${stat.size} bytes, at most ${MAX_BYTES})`);
  let bytes: Uint8Array;
  try {
    bytes = await host.files.read(file);
  } catch (error) {
    return skipped(`can't be read: ${reasonOf(error)}`);
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary') return skipped('not a text file (it has NUL bytes)');
  // Loaded when there is a file to parse, so that a session without definitions doesn't pay for the YAML parser.
  const { parseDefinition } = await import('./parse-definition.js');
  const { definition, problems } = parseDefinition(decoded.text, { ...from, file });
  const warnings: readonly Problem[] =
    decoded.warning === undefined ? [] : [{ severity: 'warning', file, line: 1, message: decoded.warning }];
  return { definitions: definition === undefined ? [] : [named(definition)], problems: [...warnings, ...problems] };
}

function named(definition: AgentDefinition): AgentDefinition {
  const { plugin } = definition.source;
  return plugin === undefined ? definition : { ...definition, name: `${plugin}:${definition.name}` };
}

/** A plugin's and an untrusted project's definitions may say what to do, not start anything or widen (GT-2, EX-6). */
function withoutActing({ definitions, problems }: Loaded): Loaded {
  const told: Problem[] = [...problems];
  const harmless = definitions.map((definition) => {
    const { source } = definition;
    if (source.trusted && source.scope !== 'plugin') return definition;
    const { hooks, mcpServers, permissionMode, ...rest } = definition;
    const taken = Object.entries({ hooks, mcpServers, permissionMode }).filter(([, value]) => value !== undefined);
    if (taken.length === 0) return definition;
    const reason = source.scope === 'plugin' ? 'a plugin' : 'a project that is not trusted';
    const message = `ignored, because it comes from ${reason}: ${taken.map(([key]) => key).join(', ')}`;
    told.push({ severity: 'warning', file: source.file, message });
    return rest;
  });
  return { definitions: harmless, problems: told };
}

function twice(definition: AgentDefinition, winner: AgentDefinition): Problem {
  const message = `the name "${definition.name}" is taken by ${winner.source.file}, which counts: rename one of them`;
  return { severity: 'warning', file: definition.source.file, line: 1, message };
}
