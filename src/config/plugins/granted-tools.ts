/**
 * What the skills and commands of a plugin grant by themselves: tools that are allowed while they are used, and hooks
 * (EX-14, EX-19). Every Markdown file of the plugin is looked at but its agents: none can be taken for a skill unseen.
 */

import { relative } from 'node:path';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { decodeText } from '../definitions/decode-text.js';
import { splitFrontMatter } from '../definitions/split-front-matter.js';
import { isWithin } from './inside-path.js';
import { walkFolder } from './plugin-hash.js';

export type Grant = {
  /** Relative to the plugin. */
  readonly file: string;
  /** As written. */
  readonly tools?: unknown;
  readonly hooks?: unknown;
};

export type GrantsFound =
  | { readonly ok: true; readonly grants: readonly Grant[] }
  | { readonly ok: false; readonly reason: string };

export type GrantsQuestion = {
  readonly folder: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly commands: readonly string[];
};

/** Larger ones are no skills. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function findGrants(
  host: Host,
  { folder, agents, skills, commands }: GrantsQuestion,
): Promise<GrantsFound> {
  const isIn = (paths: readonly string[], file: string) => paths.some((path) => isWithin(path, file));
  const isOnlyAgent = (file: string) => isIn(agents, file) && !isIn([...skills, ...commands], file);
  try {
    const walked = walkFolder(host, folder);
    if (!walked.ok) return walked;
    const files = walked.entries.filter(
      ({ path, stat }) => stat.kind === 'file' && stat.size <= MOST_BYTES && /\.(?:md|markdown)$/i.test(path),
    );
    const grants: Grant[] = [];
    for (const { path } of files) {
      const lines = isOnlyAgent(path) ? undefined : frontMatterOf(host.files.sync.read(path));
      if (lines === undefined || !mayGrant(lines.join('\n'))) continue;
      const grant = await readGrant(lines);
      if (grant !== undefined) grants.push({ file: relative(folder, path), ...grant });
    }
    return { ok: true, grants };
  } catch (error) {
    return { ok: false, reason: `its folder can't be read: ${reasonOf(error)}` };
  }
}

function frontMatterOf(bytes: Uint8Array): readonly string[] | undefined {
  const decoded = decodeText(bytes);
  const split = decoded.kind === 'text' ? splitFrontMatter(decoded.text) : undefined;
  return split?.kind === 'found' ? split.lines : undefined;
}

/** Without this the YAML parser would be loaded for every plugin. A backslash may stand for any letter. */
function mayGrant(text: string): boolean {
  return text.includes('\\') || /allowedtools|hooks/.test(squeezed(text));
}

async function readGrant(lines: readonly string[]): Promise<Omit<Grant, 'file'> | undefined> {
  const { readFields } = await import('../definitions/read-fields.js');
  const { fields } = readFields(lines, 1);
  const given = (name: string) =>
    fields.find(({ key, value }) => squeezed(key) === name && value !== null && value !== '')?.value;
  const tools = given('allowedtools');
  const hooks = given('hooks');
  if (tools === undefined && hooks === undefined) return undefined;
  return { ...(tools === undefined ? {} : { tools }), ...(hooks === undefined ? {} : { hooks }) };
}

function squeezed(text: string): string {
  return text.toLowerCase().replace(/[-_\s"']/g, '');
}
