/** Finds the output styles that apply here, and the selected one (EX-21). */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { decodeText } from '../definitions/decode-text.js';
import { findDefinitionFiles } from '../definitions/find-definition-files.js';
import { foldersWithin } from '../find-repo-root.js';
import type { Plugin } from '../plugins/plugin.js';
import type { Problem } from '../problem.js';
import { isRead, type WantedSources } from '../settings/setting-sources.js';
import { BUILT_IN_STYLES } from './built-in-styles.js';
import type { OutputStyle, StyleSource } from './output-style.js';
import type { ParsedStyle } from './parse-style.js';

export type StylesQuery = {
  readonly host: Host;
  readonly cwd: string;
  /** Undefined outside a repository: then only the working folder is searched. */
  readonly repoRoot?: string | undefined;
  /** The user's config folder (`~/.claude`). */
  readonly userDir?: string;
  /** The administrator's folder. */
  readonly managedDir?: string;
  readonly plugins: readonly Pick<Plugin, 'name' | 'outputStyles'>[];
  /** Styles of an untrusted project are not even read. */
  readonly trusted: boolean;
  /** Folders of other sources are not read. */
  readonly sources?: WantedSources;
};

export type LoadedStyles = {
  /** One for each name: managed, project (nearest first), user, plugin, built-in. */
  readonly styles: readonly OutputStyle[];
  readonly problems: readonly Problem[];
};

export type LoadedStyle = {
  /** Undefined: no style has that name. */
  readonly style?: OutputStyle;
  /** Of all that apply. */
  readonly names: readonly string[];
  /** Of its file, or of all files if no style has that name: one of them may be the reason. */
  readonly problems: readonly Problem[];
};

const FOLDER = 'output-styles';
const MAX_BYTES = 1024 * 1024;

/** Finds a style by name, ignoring case. A plugin's prefix may be left out if that is unambiguous. */
export async function loadStyle(query: StylesQuery & { readonly name: string }): Promise<LoadedStyle> {
  const { styles, problems } = await loadStyles(query);
  const names = styles.map(({ name }) => name);
  const style = findStyle(styles, query.name.trim());
  if (style === undefined) return { names, problems };
  return { style, names, problems: problems.filter(({ file }) => file === style.source.file) };
}

function findStyle(styles: readonly OutputStyle[], wanted: string): OutputStyle | undefined {
  const lower = wanted.toLowerCase();
  const exact = styles.find(({ name }) => name === wanted) ?? styles.find(({ name }) => name.toLowerCase() === lower);
  if (exact !== undefined) return exact;
  const short = styles.filter(
    ({ name, source: { plugin } }) => plugin !== undefined && name.slice(plugin.length + 1).toLowerCase() === lower,
  );
  return short.length === 1 ? short[0] : undefined;
}

export async function loadStyles(query: StylesQuery): Promise<LoadedStyles> {
  const loaded = await Promise.all((await rankFolders(query)).map((ranked) => loadFolder(query.host, ranked)));
  const styles = new Map<string, OutputStyle>();
  for (const style of [...loaded.flatMap((one) => one.styles), ...BUILT_IN_STYLES]) {
    if (!styles.has(style.name)) styles.set(style.name, style);
  }
  return { styles: [...styles.values()], problems: loaded.flatMap(({ problems }) => problems) };
}

type RankedFolder = { readonly path: string; readonly source: Omit<StyleSource, 'file'> };

async function rankFolders(query: StylesQuery): Promise<readonly RankedFolder[]> {
  const { host, cwd, repoRoot = cwd, userDir, managedDir, plugins, sources } = query;
  const own = userDir === undefined || !isRead(sources, 'user') ? undefined : join(userDir, FOLDER);
  const managed = managedDir === undefined ? [] : [join(managedDir, FOLDER), join(managedDir, '.claude', FOLDER)];
  const hasProject = query.trusted && isRead(sources, 'project');
  const project = hasProject ? foldersWithin(repoRoot, cwd).map((folder) => join(folder, '.claude', FOLDER)) : [];
  const identities = await Promise.all([own, ...project].map((path) => identity(host, path)));
  // In the home folder, the project's styles are the user's own.
  const ofProject = project.filter(
    (_, index) => identities[0] === undefined || identities[index + 1] !== identities[0],
  );
  return [
    ...managed.map((path) => ({ path, source: { scope: 'managed' } as const })),
    ...ofProject.map((path) => ({ path, source: { scope: 'project' } as const })),
    ...(own === undefined ? [] : [{ path: own, source: { scope: 'user' } as const }]),
    ...plugins.flatMap(({ name, outputStyles }) =>
      outputStyles.map((path) => ({ path, source: { scope: 'plugin', plugin: name } as const })),
    ),
  ];
}

async function identity(host: Host, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return (await host.files.stat(path).catch(() => undefined))?.identity;
}

async function loadFolder(host: Host, { path, source }: RankedFolder): Promise<LoadedStyles> {
  const isFile = /\.(md|markdown)$/i.test(path);
  const found = isFile ? { files: [{ file: path }], problems: [] } : await findDefinitionFiles(host, path);
  const parsed = await Promise.all(found.files.map(({ file }) => loadFile(host, { ...source, file })));
  return {
    styles: parsed.flatMap(({ style }) => (style === undefined ? [] : [style])),
    problems: [...found.problems, ...parsed.flatMap(({ problems }) => problems)],
  };
}

async function loadFile(host: Host, source: StyleSource): Promise<ParsedStyle> {
  const { file } = source;
  const problem = (severity: Problem['severity'], message: string): Problem => ({ severity, file, line: 1, message });
  const read = await readRegularFile(host.files, file, { most: MAX_BYTES });
  if (read.kind !== 'read') {
    const reason = read.kind === 'absent' ? 'it no longer exists' : read.reason;
    return { problems: [problem('error', `skipped: cannot read the file: ${reason}`)] };
  }
  const decoded = decodeText(read.bytes);
  if (decoded.kind === 'binary')
    return { problems: [problem('error', 'skipped: not a text file (it contains NUL bytes)')] };
  // The YAML parser is loaded only when there is a file to parse.
  const { parseStyle } = await import('./parse-style.js');
  const { problems, ...parsed } = parseStyle(decoded.text, source);
  const warnings = decoded.warning === undefined ? [] : [problem('warning', decoded.warning)];
  return { ...parsed, problems: [...warnings, ...problems] };
}
