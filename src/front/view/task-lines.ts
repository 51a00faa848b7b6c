/** Background tasks as `system/task_*` lines of `stream-json`: begun, what they do now, ended. */

import type { SessionEvent } from '../../protocol/events.js';
import { parseBlock } from '../../protocol/frozen-block.js';
import { describeCall, member } from './describe-call.js';
import type { Line } from './stream-json.js';

type Known = { readonly description: string; readonly call: string; background: boolean; calls: number };

/** Each event gives at most one line. */
export function taskLines(): (watched: SessionEvent) => Line | undefined {
  const agents = new Map<string, Known>();
  /** Calls of commands that are to run on, with what they run. */
  const commands = new Map<string, string>();
  const told = new Set<string>();

  const begin = (id: string, known: Known): Line => {
    known.background = true;
    return started(id, known.call, known.description, 'agent');
  };

  return ({ agent, event }) => {
    switch (event.kind) {
      case 'agent-spawned': {
        const known = { description: event.description, call: event.call, background: false, calls: 0 };
        agents.set(agent, known);
        return event.background ? begin(agent, known) : undefined;
      }
      case 'agent-state-changed': {
        const known = agents.get(agent);
        const moved = event.reason === 'moved to the background' || event.run > 1;
        return known && !known.background && moved ? begin(agent, known) : undefined;
      }
      case 'call-started': {
        if (event.tool === 'Bash' && member(event.input, 'run_in_background') === true) {
          commands.set(event.call, String(member(event.input, 'command')));
        }
        const known = agents.get(agent);
        if (known === undefined) return undefined;
        known.calls += 1;
        if (!known.background) return undefined;
        const line = describeCall(event.tool, event.input);
        return system('task_progress', agent, known.call, {
          description: known.description,
          last_tool_name: event.tool,
          tool_uses: known.calls,
          summary: line,
        });
      }
      case 'call-finished': {
        const command = commands.get(event.call);
        commands.delete(event.call);
        const id = command === undefined || event.isError ? undefined : shellTask(event.blocks.map(parseBlock));
        return id === undefined ? undefined : started(id, event.call, command ?? '', 'shell');
      }
      case 'input-admitted': {
        if (event.notice === undefined) return undefined;
        const key = `${event.notice.agent} ${event.notice.run}`;
        // One that is passed on to the next above is still one notice.
        if (told.has(key)) return undefined;
        told.add(key);
        return ended(event.notice.agent, event.blocks.map(parseBlock));
      }
      default:
        return undefined;
    }
  };
}

type Blocks = readonly ReturnType<typeof parseBlock>[];

function system(subtype: string, task_id: string, tool_use_id: string | undefined, more: Line): Line {
  return { type: 'system', subtype, task_id, ...(tool_use_id === undefined ? {} : { tool_use_id }), ...more };
}

function started(id: string, call: string, description: string, kind: 'agent' | 'shell'): Line {
  return system('task_started', id, call, { description, task_type: kind === 'agent' ? 'local_agent' : 'local_bash' });
}

/** The words of our own tool about a command that runs on; the first of its result. */
function shellTask(blocks: Blocks): string | undefined {
  const [result] = blocks;
  const content = result?.type === 'tool_result' && typeof result.content !== 'string' ? result.content[0] : undefined;
  const words = content?.type === 'text' ? content.text : '';
  return /^Started in the background as task (sh-\w+)\./.exec(words)?.[1];
}

/** Short fields of a notice are escaped, so the first of each is ours. */
function ended(id: string, blocks: Blocks): Line {
  const [block] = blocks;
  const text = block?.type === 'text' ? block.text : '';
  const field = (name: string) => {
    const found = new RegExp(`^(?:.*>)?<${name}>(.*?)</${name}>`, 'm').exec(text)?.[1];
    return found === undefined ? undefined : plainField(found);
  };
  return system('task_notification', id, field('tool-use-id'), {
    status: field('status') ?? 'completed',
    summary: field('summary') ?? '',
    output_file: field('output-file') ?? '',
    usage: field('usage') ?? '',
  });
}

function plainField(field: string): string {
  const plain: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return field.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => plain[name] ?? '');
}
