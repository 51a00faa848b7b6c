/**
 * Events that are a line about the conversation itself, as every surface shows them unless it has its own way: a new one
 * needs a case here only.
 */

import type { AgentEvent, DurableEventOf } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { Item } from './item.js';

export type LineItem = Extract<Item, { readonly kind: 'line' }>;

export function readLine(event: AgentEvent): LineItem | undefined {
  switch (event.kind) {
    case 'compaction-began':
      return line('info', `summarising the conversation${whyCompacted(event.trigger)}`);
    case 'compaction-failed':
      return line('warning', `the conversation was not summarised: ${event.reason}`);
    case 'history-compacted':
      return line(
        'info',
        `the conversation so far was summarised${whyCompacted(event.trigger)}; the transcript has it all`,
      );
    case 'history-cleared':
      return line('info', 'the conversation starts again here; what was said stays in the transcript');
    case 'history-rewound':
      return line('info', describeRewind(event));
    case 'mode-changed':
      return line('info', `mode: ${event.mode}`);
    case 'epoch-started':
      return event.reason === 'model-switch' ? line('info', `model: ${event.model}`) : undefined;
    case 'agent-state-changed':
      return describeState(event);
    case 'line-shown':
      return line(event.level, event.line);
    case 'fault-met':
    case 'response-discarded':
      return line('warning', event.line);
    case 'run-ended':
      if (event.line !== undefined) return line('error', event.line);
      return event.reason === 'interrupted' ? line('warning', 'interrupted') : undefined;
    default:
      return undefined;
  }
}

function line(level: LineItem['level'], text: string): LineItem {
  return { kind: 'line', level, text };
}

function whyCompacted(trigger: DurableEventOf<'history-compacted'>['trigger']): string {
  return trigger === 'manual' ? '' : ' to make room';
}

function describeRewind({ conversation, files }: DurableEventOf<'history-rewound'>): string {
  const count = plural(files.length, 'file holds', 'files hold');
  const back = files.length === 0 ? '' : `${count} again what was there`;
  if (!conversation) return `went back: ${back === '' ? 'no file was changed' : back}`;
  return `went back to before a prompt; what came after it no longer counts${back === '' ? '' : `; ${back}`}`;
}

/** An interruption is told by the end of the run, and a result by the last reply. */
function describeState({ state, by, reason }: DurableEventOf<'agent-state-changed'>): LineItem | undefined {
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'stopped') return line('warning', `stopped${by === undefined ? '' : ` by ${by}`}${why}`);
  return state === 'failed' ? line('error', `failed${why}`) : undefined;
}
