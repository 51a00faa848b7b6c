/** Reads `.claude-plugin/plugin.json` of a plugin (EX-17). A value of the wrong type prevents the plugin from loading. */

import * as z from 'zod';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { isDeeper, isObject } from '../../protocol/json/json-values.js';
import { once } from '../../protocol/once.js';
import type { Result } from '../../protocol/result.js';
import { isWithin } from '../path-within.js';

export type Manifest = {
  readonly file: string;
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  /** As written: paths relative to the plugin. Absent: the default folder is used. */
  readonly commands?: readonly string[];
  readonly agents?: readonly string[];
  readonly outputStyles?: readonly string[];
  readonly skills: readonly string[];
  /** Paths and inline values. */
  readonly hooks: readonly unknown[];
  readonly mcpServers: readonly unknown[];
  /** Options for you to set, with defaults. */
  readonly userConfig: Readonly<Record<string, unknown>>;
  /** Keys of other tools that have no effect here. */
  readonly unused: readonly string[];
  readonly unknown: readonly string[];
};

export type ManifestRead = Result<{ readonly manifest: Manifest }>;

const MOST_BYTES = 1024 * 1024;
const MOST_DEPTH = 50;

/** Without the file, all defaults apply. */
export async function readManifest(host: Host, folder: string): Promise<ManifestRead> {
  const file = `${folder}/.claude-plugin/plugin.json`;
  const read = await readJson(host, folder, file, MOST_BYTES);
  if (read.kind === 'absent')
    return {
      ok: true,
      manifest: { file, skills: [], hooks: [], mcpServers: [], userConfig: {}, unused: [], unknown: [] },
    };
  if (read.kind === 'refused') return { ok: false, reason: `${file}: ${read.reason}` };
  const parsed = schema().safeParse(read.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return {
      ok: false,
      reason: `${file}: ${where === '' ? '' : `"${where}" is invalid: `}${issue?.message ?? 'it is not valid'}`,
    };
  }
  const { name, version, description, commands, agents, outputStyles, skills, hooks, mcpServers, userConfig } =
    parsed.data;
  const others = Object.keys(read.value as object).filter((key) => !USED.has(key));
  return {
    ok: true,
    manifest: {
      file,
      name,
      ...(version === undefined ? {} : { version }),
      ...(description === undefined ? {} : { description }),
      ...(commands === undefined ? {} : { commands }),
      ...(agents === undefined ? {} : { agents }),
      ...(outputStyles === undefined ? {} : { outputStyles }),
      skills: skills ?? [],
      hooks: listOf(hooks),
      mcpServers: listOf(mcpServers),
      userConfig: userConfig ?? {},
      unused: others.filter((key) => UNUSED.has(key)),
      unknown: others.filter((key) => !UNUSED.has(key)),
    },
  };
}

export type JsonRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads an object from a file whose real path is in `folder`. */
export async function readJson(host: Host, folder: string, file: string, most: number): Promise<JsonRead> {
  const refuse = (real: string) => (isWithin(folder, real) ? undefined : 'it is a link to a file outside its folder');
  const found = await readRegularFile(host.files, file, { most, refuse });
  if (found.kind !== 'read') return found.kind === 'absent' ? found : { kind: 'refused', reason: found.reason };
  try {
    const value: unknown = JSON.parse(found.bytes.toString('utf8').replace(/^\uFEFF/, ''));
    if (isDeeper(value, MOST_DEPTH)) return { kind: 'refused', reason: 'it is nested too deeply' };
    if (isObject(value)) return { kind: 'read', value };
    return { kind: 'refused', reason: 'expected a JSON object: {…}' };
  } catch {
    return { kind: 'refused', reason: 'it is not valid JSON' };
  }
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** It becomes part of names, of a folder, and of what you type. */
export function isPluginName(name: string): boolean {
  return NAME.test(name) && !name.includes('..');
}

export const NAME_RULE = 'letters, digits, ".", "_" and "-", beginning with a letter or digit, at most 64';

const UNUSED: ReadonlySet<string> = new Set([
  'lspServers',
  'themes',
  'monitors',
  'settings',
  'dependencies',
  'channels',
  'experimental',
]);

const METADATA = [
  'author',
  'homepage',
  'repository',
  'license',
  'keywords',
  'displayName',
  'category',
  'tags',
  '$schema',
];
const PARTS = ['commands', 'agents', 'outputStyles', 'skills', 'hooks', 'mcpServers', 'userConfig'];
const USED: ReadonlySet<string> = new Set(['name', 'version', 'description', ...METADATA, ...PARTS]);

const schema = once(() => {
  const text = z.string('expected a text');
  const paths = z.union([text.transform((path) => [path]), z.array(text)], 'expected a path or a list of paths');
  const inPlace = z.record(z.string(), z.unknown());
  const part = z.union(
    [text, inPlace, z.array(z.union([text, inPlace]))],
    'expected a path, an object, or a list of them',
  );
  return z.looseObject(
    {
      name: z.string(`expected a name: ${NAME_RULE}`).refine(isPluginName, `expected a name: ${NAME_RULE}`),
      version: text.optional(),
      description: text.optional(),
      author: z.union([text, inPlace], 'expected an object or a text').optional(),
      homepage: text.optional(),
      repository: z.union([text, inPlace], 'expected a text').optional(),
      license: text.optional(),
      keywords: z.array(text, 'expected a list of texts').optional(),
      commands: paths.optional(),
      agents: paths.optional(),
      outputStyles: paths.optional(),
      skills: paths.optional(),
      hooks: part.optional(),
      mcpServers: part.optional(),
      userConfig: z.record(z.string(), z.unknown(), 'expected an object').optional(),
    },
    'expected an object',
  );
});
