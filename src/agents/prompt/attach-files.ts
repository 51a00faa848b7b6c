/**
 * Attaches files mentioned as `@path`. Each is an ordinary Read call outside the conversation, with the same rules,
 * hooks and records (EX-3). A mention that matches no file is ignored: `@types` may be a word.
 */

import { absolutePath, userHome } from '../../config/paths.js';
import type { Call, Run } from '../../loop/run.js';
import { runToolCall } from '../../loop/run-tool-call.js';
import { type ResultContent, text, type UserBlock } from '../../protocol/blocks.js';
import { inertReminder, neutralizeTags, reminder } from '../../protocol/tags.js';
import { BUILT_IN_TOOLS, findTool } from '../../tools/registry.js';
import { type FileMention, findFileMentions } from './find-file-mentions.js';

export type Attaching = {
  readonly texts: readonly string[];
  /** The base of relative paths. */
  readonly folder: string;
  /** The prefix of its call ids. */
  readonly id: string;
  /** Typed by the user, whose Read works even for an agent without that tool. */
  readonly isTyped?: boolean;
};

/** More are hardly intended. */
const MOST_ATTACHED = 20;

export async function attachFiles(run: Run, attaching: Attaching): Promise<readonly UserBlock[]> {
  const found: Meant[] = [];
  for (const mention of findFileMentions(attaching.texts)) {
    const resolved = await resolveName(run, attaching.folder, mention);
    if (resolved !== undefined && !found.some((one) => one.path === resolved.path)) found.push(resolved);
  }
  const blocks: UserBlock[] = [];
  for (const [index, resolved] of found.slice(0, MOST_ATTACHED).entries()) {
    blocks.push(...(await attach(run, resolved, { ...attaching, id: `${attaching.id}-file-${index + 1}` })));
  }
  const left = found.length - MOST_ATTACHED;
  return left > 0 ? [...blocks, text(reminder(`${left} more files that were named are not attached.`))] : blocks;
}

type Meant = Pick<FileMention, 'written' | 'lines'> & { readonly path: string; readonly kind: 'file' | 'folder' };

async function resolveName({ agent }: Run, folder: string, mention: FileMention): Promise<Meant | undefined> {
  const { written, lines } = mention;
  for (const one of mention.paths) {
    const path = absolutePath(one, folder, userHome(agent.host.env));
    const stat = await agent.host.files.stat(path).catch(() => undefined);
    if (stat?.kind === 'file' || stat?.kind === 'folder')
      return { written, path, kind: stat.kind, ...(lines ? { lines } : {}) };
  }
  return undefined;
}

async function attach(run: Run, { written, path, kind, lines }: Meant, { id, isTyped }: Attaching) {
  const name = kind === 'file' ? 'Read' : 'Glob';
  const range = lines && { offset: lines.from, ...(lines.to ? { limit: Math.max(1, lines.to - lines.from + 1) } : {}) };
  const input = kind === 'file' ? { file_path: path, ...range } : { pattern: '*', path };
  const use = { type: 'tool_use', id, name, input } as const;
  const own = isTyped ? findTool(BUILT_IN_TOOLS, name) : undefined;
  const call: Call = { use, aside: true, ...(own ? { tool: own } : {}) };
  const { outcome } = await runToolCall(run, call);
  if (outcome === undefined) return [];
  if (outcome.isError) return asReminder(neutralizeTags(`${written} could not be attached:`), outcome.content);
  // As with any file that is read: its folder may have its own instructions and skills.
  const more = await run.ports.instructionsFor(run.agent, path);
  const attached = asReminder(neutralizeTags(`${written} is attached (${path}):`), outcome.content);
  return more === undefined ? attached : [...attached, text(more)];
}

/** Wraps the result of a call as text that the user did not write. Imitations of our tags are already escaped. */
export function asReminder(head: string, content: readonly ResultContent[]): readonly UserBlock[] {
  const body = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return [text(inertReminder([head, ...body].join('\n'))), ...content.filter(({ type }) => type !== 'text')];
}
