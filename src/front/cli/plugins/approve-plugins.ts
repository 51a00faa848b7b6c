/** `coppice plugins approve`: shows what plugins run automatically and approves them in their current form (EX-19). Runs nothing. */

import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { storePlugins } from '../../../config/plugins/store-approvals.js';
import { showPlugins } from '../../view/describe/describe-plugins.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT } from '../exit-code.js';
import { inFolder, type PluginFlags, type PluginsHere } from './folder-plugins.js';
import { rowOf } from './list-plugins.js';

const NOT_TRUSTED = 'This folder is not trusted. Its plugins are loaded after `coppice trust`.';

export function runPluginsApprove(names: readonly string[], flags: PluginFlags): Promise<number> {
  const json = flags.json === true;
  return inFolder(flags, async (here) => {
    const { plugins, trusted, errors, query } = here;
    const [wrong] = errors;
    if (wrong !== undefined) return fail(wrong, { json, code: EXIT.usage });
    const waiting = plugins.filter((one) => one.isWaiting);
    const missing = explainMissing(plugins, names);
    if (missing !== undefined) return fail(missing, { json, code: EXIT.usage });
    const selected = waiting.filter(({ read }) => names.includes(read.name));
    if (names.length === 0) return showWaiting(here, waiting, json);
    if (!json) print(showPlugins(selected));
    const approved = selected.filter(({ whyNot }) => whyNot === undefined);
    const stored = await storePlugins(query.host, approved);
    if (!stored.ok) return fail(stored.reason, { json });
    const code = approved.length === selected.length ? EXIT.done : EXIT.error;
    const approvedNames = approved.map(({ read }) => read.name);
    if (json) return printJson({ ok: code === EXIT.done, approved: approvedNames, trusted }, code);
    if (!trusted && approved.some(({ isProposed }) => isProposed)) printToStderr([NOT_TRUSTED]);
    print([`Approved as shown: ${approvedNames.join(', ') || 'none'}.`]);
    return code;
  });
}

/** Without a name nothing is approved. */
function showWaiting(here: PluginsHere, waiting: readonly ReviewedPlugin[], json: boolean): number {
  const { trusted, warnings } = here;
  if (json) return printJson({ ok: true, waiting: waiting.map((one) => rowOf(one, here)), trusted });
  printToStderr(warnings);
  if (waiting.length === 0) return print(['No plugin is waiting for approval.']);
  print(showPlugins(waiting));
  printToStderr(['Nothing is approved yet. Run coppice plugins approve with their names.']);
  return EXIT.done;
}

function explainMissing(plugins: readonly ReviewedPlugin[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = plugins.find(({ read }) => read.name === name);
    if (found === undefined) return `no plugin ${name} here; coppice plugins list shows all plugins`;
    if (!found.isWaiting)
      return found.isApproved
        ? `${name} is already approved`
        : `${name} needs no approval: nothing in it runs automatically`;
  }
  return undefined;
}
