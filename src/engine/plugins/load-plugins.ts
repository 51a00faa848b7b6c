/**
 * Plugins as a session uses them: unapproved parts stay inactive, and unapproved proposals of a project are left out.
 */

import { delimiter } from 'node:path';
import { findPlugins, type PluginsQuery } from '../../config/plugins/find-plugins.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import { type ReviewedPlugin, reviewPlugins } from '../../config/plugins/plugin-approval.js';
import { pluginVariables } from '../../config/plugins/plugin-variables.js';
import type { Host } from '../../host/host.js';
import { plural } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { joinSome } from '../../protocol/text/one-line.js';

export type SessionPluginsFound = {
  readonly plugins: readonly Plugin[];
  /** Warnings for the user. */
  readonly warnings: readonly string[];
  /** If not empty, the session must not open. */
  readonly errors: readonly string[];
};

export async function loadPlugins(query: PluginsQuery): Promise<SessionPluginsFound> {
  const { plugins: found, warnings, errors } = await findPlugins(query);
  if (errors.length > 0) return { plugins: [], warnings, errors };
  const reviewed = await reviewPlugins(query, found);
  const plugins = reviewed.filter((one) => !one.isProposed || one.isApproved).map((one) => pluginOf(query.host, one));
  const made = await Promise.all(plugins.map((plugin) => makeData(query.host, plugin)));
  const waiting = reviewed.filter((one) => one.isWaiting);
  const lines = [
    ...made,
    ...plugins.flatMap(describeHidden),
    ...waiting.flatMap((one) => (one.whyNot === undefined ? [] : [describeUnapprovable(one)])),
    describeProposed(waiting.filter((one) => one.isProposed && one.whyNot === undefined)),
    describeOwn(waiting.filter((one) => !one.isProposed && one.whyNot === undefined)),
  ];
  return { plugins, warnings: [...bounded(warnings), ...lines.filter((line) => line !== undefined)], errors };
}

const MOST_LINES = 10;

function bounded(lines: readonly string[]): readonly string[] {
  const left = lines.length - MOST_LINES;
  return left > 0
    ? [...lines.slice(0, MOST_LINES), `${plural(left, 'more line')} about plugins: run coppice plugins list`]
    : lines;
}

function pluginOf({ env }: Host, { read, origin, options, approval, isApproved }: ReviewedPlugin): Plugin {
  const { name, version, description, folder, agents, skills, commands, outputStyles } = read;
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    folder,
    origin,
    agents,
    skills,
    commands,
    outputStyles,
    hooks: isApproved ? read.hooks : [],
    servers: isApproved ? read.servers : [],
    grants: isApproved ? read.grants : [],
    ...(isApproved && read.bin !== undefined ? { bin: read.bin } : {}),
    variables: pluginVariables(env, name, folder),
    options,
    approval,
    isApproved,
  };
}

/** Creates the data folder of a plugin that runs something. */
async function makeData({ files }: Host, plugin: Plugin): Promise<string | undefined> {
  const { name, hooks, servers, bin, variables } = plugin;
  const folder = variables.CLAUDE_PLUGIN_DATA;
  if ((hooks.length === 0 && servers.length === 0 && bin === undefined) || folder === undefined) return undefined;
  try {
    await files.makeFolder(folder, 0o700);
    return undefined;
  } catch (error) {
    return `plugin ${name}: its data folder ${folder} could not be created: ${reasonOf(error)}`;
  }
}

/** A folder with this character can't be on the `PATH`. */
function describeHidden({ name, bin }: Plugin): readonly string[] {
  if (bin === undefined || !bin.includes(delimiter)) return [];
  return [`plugin ${name}: its programs can't be on the PATH because of the "${delimiter}" in ${bin}: move the plugin`];
}

function describeUnapprovable({ read: { name, folder }, isProposed, whyNot }: ReviewedPlugin): string {
  const effect = isProposed ? 'it is not loaded' : 'its hooks, servers, programs and granted tools are ignored';
  return `plugin ${name} (${folder}) can't be approved, so ${effect}: ${whyNot}`;
}

function describeProposed(waiting: readonly ReviewedPlugin[]): string | undefined {
  if (waiting.length === 0) return undefined;
  const are =
    waiting.length === 1
      ? '1 plugin proposed by this project is'
      : `${waiting.length} plugins proposed by this project are`;
  return `${are} not loaded, because not approved or changed since: ${names(waiting)}. ${whatToDo(waiting)}`;
}

function describeOwn(waiting: readonly ReviewedPlugin[]): string | undefined {
  if (waiting.length === 0) return undefined;
  const are = plural(waiting.length, 'plugin is', 'plugins are');
  const guards = waiting.some(({ read }) => read.hooks.some(({ hooks }) => Object.hasOwn(hooks, 'PreToolUse')));
  const byHand = waiting.some(({ origin }) => origin.file === '--plugin-dir');
  return (
    `${are} not approved, or changed since, so hooks, servers, programs and granted tools are ignored: ${names(waiting)}. ` +
    `${whatToDo(waiting)}${byHand ? ' With --trust, those of --plugin-dir are active for this run.' : ''}` +
    `${guards ? ' Their PreToolUse hooks do not block calls now.' : ''}`
  );
}

function names(waiting: readonly ReviewedPlugin[]): string {
  return joinSome(
    waiting.map(({ read }) => read.name),
    5,
  );
}

function whatToDo(waiting: readonly ReviewedPlugin[]): string {
  const [first] = waiting;
  const it = waiting.length === 1 ? 'it' : 'them';
  const dir = first?.origin.file === '--plugin-dir' ? ' --plugin-dir FOLDER' : '';
  return `Start coppice here in a terminal to review ${it}, or run coppice plugins approve ${first?.read.name}${dir}.`;
}
