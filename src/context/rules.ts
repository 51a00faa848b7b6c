/** Loads `.claude/rules/*.md`: instructions that apply everywhere, or only to the files in their `paths:`. */

import { join, relative } from 'node:path';
import type { Host } from '../host/host.js';
import { listRegularFolder } from '../host/read-regular-file.js';
import type { InstructionFile } from './imports.js';
import type { SourceRules } from './instruction-sources.js';

export type Rule = InstructionFile & {
  /** Empty: the rule always applies. */
  readonly patterns: readonly string[];
  readonly root: string;
};

const MAX_FOLDER_DEPTH = 8;
const MAX_NAMES = 1_000;

type LoadingRules = {
  readonly host: Host;
  readonly root: string;
  readonly sources: SourceRules;
  /** Real paths of loaded files and folders. */
  readonly seen: Set<string>;
  readonly warnings: string[];
  readonly load: (path: string) => Promise<readonly InstructionFile[] | undefined>;
};

export async function loadRules(loading: LoadingRules, folder: string, depth = 0): Promise<Rule[]> {
  const { host, root, sources, seen, warnings, load } = loading;
  if (depth > MAX_FOLDER_DEPTH) return [];
  const listed = await listRegularFolder(host.files, folder, MAX_NAMES);
  if (listed.kind === 'absent' || (listed.kind === 'listed' && seen.has(listed.real))) return [];
  const outside = listed.kind === 'listed' && !sources.mayRead(listed.real);
  if (listed.kind === 'refused' || outside) {
    const reason = listed.kind === 'refused' ? listed.reason : `it points outside the project (to ${listed.real})`;
    warnings.push(`${folder} was not loaded: ${reason}`);
    return [];
  }
  seen.add(listed.real);
  const rules: Rule[] = [];
  const entries = [...listed.entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.kind === 'folder') rules.push(...(await loadRules(loading, path, depth + 1)));
    if (!entry.name.endsWith('.md') || entry.kind === 'folder') continue;
    for (const file of (await load(path)) ?? []) {
      const { body, patterns } = splitFrontMatter(file.text);
      if (body.trim() !== '') rules.push({ path: file.path, text: body, patterns, root });
    }
  }
  return rules;
}

export async function ruleApplies(rule: Rule, path: string): Promise<boolean> {
  const inside = relative(rule.root, path);
  if (inside.startsWith('..')) return false;
  const { default: picomatch } = await import('picomatch');
  return rule.patterns.some((pattern) => picomatch.isMatch(inside, pattern, { dot: true, noextglob: true }));
}

/** Reads only `paths:`, which is a string, an inline list or a block list. */
function splitFrontMatter(text: string): { readonly body: string; readonly patterns: readonly string[] } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return { body: text, patterns: [] };
  const body = text.slice(match[0].length);
  const lines = (match[1] ?? '').split(/\r?\n/);
  const at = lines.findIndex((line) => /^paths\s*:/.test(line));
  if (at < 0) return { body, patterns: [] };
  const inline = (lines[at] ?? '').replace(/^paths\s*:/, '').trim();
  const listed = [];
  for (const line of lines.slice(at + 1)) {
    const item = /^\s*-\s+(.+)$/.exec(line)?.[1];
    if (item === undefined) break;
    listed.push(item);
  }
  const raw = inline === '' ? listed : splitOutsideBraces(inline.replace(/^\[|\]$/g, ''));
  return { body, patterns: raw.map((pattern) => pattern.trim().replace(/^["']|["']$/g, '')).filter(Boolean) };
}

/** `src/**\/*.{ts,tsx}, lib/**` is two patterns, not three. */
function splitOutsideBraces(list: string): string[] {
  return list.split(/,(?![^{]*\})/);
}
