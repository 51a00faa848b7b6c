/** `coppice plugins list`: lists plugins with their source, contents and status (EX-6, EX-19). */

import { basename } from 'node:path';
import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT } from '../exit-code.js';
import { inFolder, type PluginFlags, type PluginsHere } from './folder-plugins.js';

export type PluginRow = {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly folder: string;
  readonly scope: string;
  readonly file: string;
  readonly status: 'loaded' | 'approved' | 'not-approved' | 'not-trusted' | 'not-approvable';
  readonly reason?: string;
  /** Its contents by kind. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** Everything in it that runs automatically. */
  readonly acts: readonly string[];
};

export function runPluginsList(flags: PluginFlags): Promise<number> {
  return inFolder(flags, async (here) => {
    const { plugins, warnings, errors } = here;
    const [wrong] = errors;
    if (wrong !== undefined) return fail(wrong, { json: flags.json === true, code: EXIT.usage });
    const rows = plugins.map((plugin) => rowOf(plugin, here));
    if (flags.json) return printJson({ plugins: rows, warnings });
    printToStderr(warnings);
    if (rows.length === 0)
      printToStderr(['No plugins. Add the folder of one to the setting "plugins", or use --plugin-dir.']);
    return print(rows.flatMap(describeRow));
  });
}

export function rowOf(plugin: ReviewedPlugin, { trusted, skills }: Pick<PluginsHere, 'trusted' | 'skills'>): PluginRow {
  const { read, origin, acts } = plugin;
  const named = (kind: 'skill' | 'command') =>
    skills.filter((one) => one.source.plugin === read.name && one.kind === kind).map(({ name }) => name);
  const parts = {
    agents: read.agents.map((path) => basename(path)),
    skills: named('skill'),
    commands: named('command'),
    'output styles': read.outputStyles.map((path) => basename(path)),
    hooks: read.hooks.flatMap(({ hooks }) => Object.keys(hooks)),
    servers: read.servers.flatMap(({ servers }) => Object.keys(servers)),
    programs: read.programs,
  };
  return {
    name: read.name,
    ...(read.version === undefined ? {} : { version: read.version }),
    ...(read.description === undefined ? {} : { description: read.description }),
    folder: read.folder,
    scope: origin.scope,
    file: origin.file,
    ...statusOf(plugin, trusted),
    parts: Object.fromEntries(Object.entries(parts).filter(([, names]) => names.length > 0)),
    acts,
  };
}

function statusOf(plugin: ReviewedPlugin, trusted: boolean): Pick<PluginRow, 'status' | 'reason'> {
  const { read, origin, isProposed, isWaiting, isApproved, whyNot } = plugin;
  const effect = isProposed ? 'not loaded' : 'its automatic parts are ignored';
  if (whyNot !== undefined && isWaiting) return { status: 'not-approvable', reason: `${effect}: ${whyNot}` };
  const flag = origin.file === '--plugin-dir' ? ` --plugin-dir ${read.folder}` : '';
  if (isWaiting)
    return { status: 'not-approved', reason: `${effect}: run coppice plugins approve ${read.name}${flag}` };
  if (isProposed && !trusted) return { status: 'not-trusted', reason: 'the folder is not trusted: run coppice trust' };
  return { status: isApproved ? 'approved' : 'loaded' };
}

const STATUS_TEXTS: Readonly<Record<PluginRow['status'], string>> = {
  loaded: 'loaded, nothing runs automatically',
  approved: 'loaded, approved',
  'not-approved': 'not approved',
  'not-trusted': 'not trusted',
  'not-approvable': "can't be approved",
};

function describeRow(row: PluginRow): readonly string[] {
  const reason = row.reason === undefined ? '' : `: ${row.reason}`;
  const version = row.version === undefined ? '' : ` ${row.version}`;
  const parts = Object.entries(row.parts).map(([kind, names]) => `${kind}: ${names.slice(0, 12).join(', ')}`);
  return [
    visible(`${row.name}${version}  ${STATUS_TEXTS[row.status]}${reason}`),
    visible(`  ${row.folder}  (${row.scope}: ${row.file})`),
    ...parts.map((line) => visible(`  ${line}`)),
  ];
}
