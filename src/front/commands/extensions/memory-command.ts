/** `/memory`: the memory of the session's agents, with the same verbs as `coppice memory`. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MEMORY_FILE, MEMORY_SCOPES, type MemoryScope } from '../../../protocol/agent-spawned.js';
import type { Session } from '../../sdk/session.js';
import {
  describeBackups,
  describeChanged,
  describeMemories,
  describeNoDifference,
  describeReason,
} from '../../view/describe/describe-memory.js';

const USE =
  'Use /memory, /memory show AGENT [FILE], /memory diff|take|merge|decline AGENT, /memory publish AGENT [--force], or /memory rollback AGENT [BACKUP|--list]; --scope user|project|local if the name is ambiguous.';

type Context = { readonly session: Session; readonly say: (line: string) => void };

export async function runMemory({ session, say }: Context, argument: string): Promise<void> {
  const request = parse(argument);
  if (request === undefined) return say(USE);
  for (const line of await answer(session, request)) say(stripControls(line));
}

const CHANGES = {
  take: 'take',
  merge: 'merge',
  publish: 'publish',
  decline: 'decline',
  rollback: 'roll-back',
} as const;

type Request = {
  readonly verb: 'list' | 'show' | 'diff' | keyof typeof CHANGES;
  readonly memory: string;
  /** A file, or a backup. */
  readonly more?: string;
  readonly scope?: MemoryScope;
  readonly force: boolean;
  readonly list: boolean;
};

function parse(argument: string): Request | undefined {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const scopeAt = words.indexOf('--scope');
  const [, given] = scopeAt < 0 ? [] : words.splice(scopeAt, 2);
  const scope = MEMORY_SCOPES.find((one) => one === given);
  if (scopeAt >= 0 && scope === undefined) return undefined;
  const [verb = 'list', memory = '', more, ...rest] = words.filter((word) => !word.startsWith('--'));
  const flags = words.filter((word) => word.startsWith('--'));
  const [force, list] = [flags.includes('--force'), flags.includes('--list')];
  const request = { memory, force, list, ...(more === undefined ? {} : { more }), ...(scope ? { scope } : {}) };
  const allowed = [...(verb === 'publish' ? ['--force'] : []), ...(verb === 'rollback' ? ['--list'] : [])];
  if (rest.length > 0 || flags.some((flag) => !allowed.includes(flag))) return undefined;
  if (verb === 'list') return memory === '' && scope === undefined ? { verb, ...request } : undefined;
  const takesMore = verb === 'show' || (verb === 'rollback' && !list);
  if (memory === '' || (more !== undefined && !takesMore)) return undefined;
  return verb === 'show' || verb === 'diff' || isChange(verb) ? { verb, ...request } : undefined;
}

function isChange(verb: string): verb is keyof typeof CHANGES {
  return Object.hasOwn(CHANGES, verb);
}

async function answer(session: Session, request: Request): Promise<readonly string[]> {
  const { verb, memory, more, force, list } = request;
  const named = { memory, ...(request.scope === undefined ? {} : { scope: request.scope }) };
  if (verb === 'list') {
    const listed = await session.execute({ type: 'memory' });
    return listed.ok ? describeMemories(listed) : [describeReason(listed.reason)];
  }
  if (verb === 'show') {
    const shown = await session.execute({ type: 'show-memory', ...named, file: more ?? MEMORY_FILE });
    return shown.ok ? shown.files.map(({ text }) => text.replace(/\n$/, '')) : [describeReason(shown.reason)];
  }
  if (verb === 'diff') {
    const diff = await session.execute({ type: 'diff-memory', ...named });
    if (!diff.ok) return [describeReason(diff.reason)];
    return [diff.text.replace(/\n$/, '') || describeNoDifference(diff.name ?? memory, diff)];
  }
  if (verb === 'rollback' && list) {
    const found = await session.execute({ type: 'memory-backups', ...named });
    return found.ok ? describeBackups(found.name ?? memory, found.backups) : [describeReason(found.reason)];
  }
  const how = CHANGES[verb];
  const to = more === undefined ? {} : { to: more };
  const done = await session.execute({ type: 'change-memory', ...named, how, force, ...to });
  if (!done.ok) return [describeReason(done.reason)];
  return describeChanged(how, done.name ?? memory, done, '/memory rollback');
}
