/**
 * Describes events that are a line about the conversation itself. Every surface shows them unless it has its own way; a
 * new one needs a case here only.
 */

import type { AgentEvent, DurableEventOf } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { Item } from './item.js';

export type LineItem = Extract<Item, { readonly kind: 'line' }>;

export function readLine(event: AgentEvent): LineItem | undefined {
  switch (event.kind) {
    case 'compaction-began':
      return line('info', `Compacting the conversation${whyCompacted(event.trigger)}`);
    case 'compaction-failed':
      return line('warning', `Compaction failed: ${event.reason}`);
    case 'history-compacted':
      return line(
        'info',
        `Compacted the conversation${whyCompacted(event.trigger)}. The full text stays in the transcript.`,
      );
    case 'history-cleared':
      return line('info', 'Conversation cleared. Earlier messages stay in the transcript.');
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
  const restored = plural(files.length, 'file');
  if (!conversation) return `Rewound: ${files.length === 0 ? 'no files changed' : `${restored} restored`}`;
  return `Rewound to before a prompt: conversation${files.length === 0 ? '' : ` and ${restored}`} restored`;
}

/** Interruptions are reported by the end of the run, results by the last reply. */
function describeState({ state, by, reason }: DurableEventOf<'agent-state-changed'>): LineItem | undefined {
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'stopped') return line('warning', `stopped${by === undefined ? '' : ` by ${by}`}${why}`);
  return state === 'failed' ? line('error', `failed${why}`) : undefined;
}
