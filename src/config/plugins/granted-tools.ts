/**
 * Finds what the skills and commands of a plugin grant automatically: tools that are allowed while they are used, and
 * hooks (EX-14, EX-19). They are loaded as in a session, so that none grants more than was shown. Other Markdown files
 * are included, because they may be meant as skills.
 */

import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { decodeText } from '../definitions/decode-text.js';
import { isMarkdown } from '../definitions/find-definition-files.js';
import { isWithin } from '../path-within.js';
import type { Skill } from '../skills/skill.js';
import { loadOfPlugin } from '../skills/skill-sources.js';
import type { Grant, Plugin } from './plugin.js';
import { walkFolder } from './plugin-hash.js';

export type GrantsFound = Result<{ readonly grants: readonly Grant[] }>;

export type GrantsQuery = Pick<Plugin, 'name' | 'folder' | 'agents' | 'skills' | 'commands'>;

export async function findGrants(host: Host, plugin: GrantsQuery): Promise<GrantsFound> {
  try {
    const walked = walkFolder(host, plugin.folder);
    if (!walked.ok) return walked;
    const loaded = await loadOfPlugin(host, plugin);
    const known = new Set(loaded.map(({ source }) => source.file));
    const isAgent = (file: string) => plugin.agents.some((path) => isWithin(path, file));
    const others = walked.entries.filter(
      ({ path, stat }) => stat.kind === 'file' && stat.size <= MOST_BYTES && isMarkdown(path) && !known.has(path),
    );
    const parsed = await parseOthers(
      host,
      others.flatMap(({ path }) => (isAgent(path) ? [] : [path])),
    );
    const grants = [...loaded, ...parsed].flatMap((skill) => grantOf(skill, plugin) ?? []);
    return { ok: true, grants: grants.toSorted((a, b) => (a.file < b.file ? -1 : 1)) };
  } catch (error) {
    return { ok: false, reason: `its folder can't be read: ${reasonOf(error)}` };
  }
}

/** Larger files are not skills. */
const MOST_BYTES = 1024 * 1024;

async function parseOthers({ files }: Host, paths: readonly string[]): Promise<readonly Skill[]> {
  const texts = paths.flatMap((file) => {
    const decoded = decodeText(files.sync.read(file));
    return decoded.kind === 'text' && mayGrant(decoded.text) ? [{ file, text: decoded.text }] : [];
  });
  // Checked first, or the YAML parser would be loaded for every plugin.
  if (texts.length === 0) return [];
  const { parseSkill } = await import('../skills/parse-skill.js');
  return texts.flatMap(({ file, text }) => {
    const place = { source: { scope: 'plugin' as const, file, trusted: false }, folder: '' };
    return parseSkill(text, { kind: 'command', name: 'other', place }).definition ?? [];
  });
}

/** A backslash may escape any letter. */
function mayGrant(text: string): boolean {
  return text.includes('\\') || /allowedtools|hooks/.test(text.toLowerCase().replace(/[-_\s"']/g, ''));
}

/** True if the skill grants nothing beyond what was shown for approval. */
export function isGrantShown(skill: Skill, plugin: Pick<Plugin, 'folder' | 'grants'>): boolean {
  const grant = grantOf(skill, plugin);
  return grant === undefined || plugin.grants.some((one) => isDeepStrictEqual(one, grant));
}

/** Undefined: it grants nothing. */
function grantOf({ allowedTools: tools, hooks, source }: Skill, { folder }: Pick<Plugin, 'folder'>): Grant | undefined {
  if (tools.length === 0 && hooks === undefined) return undefined;
  return {
    file: relative(folder, source.file),
    ...(tools.length === 0 ? {} : { tools }),
    ...(hooks === undefined ? {} : { hooks }),
  };
}
