/** Events around the conversation, as `system` lines. */

import { estimateBlock } from '../../../model/models.js';
import {
  type AgentEvent,
  type DurableEventOf,
  FELL_BACK,
  type LiveEvent,
  MAIN_AGENT,
  type SessionEvent,
} from '../../../protocol/events.js';
import { inputTokens } from '../../../protocol/usage.js';
import { errorCategory } from './error-category.js';
import { definedFields, type Line, type LineOptions } from './line.js';

export function systemLines(
  { agent, event }: SessionEvent,
  { partial }: Pick<LineOptions, 'partial'>,
): readonly Line[] {
  // Clients attribute these to the session itself.
  const ofMain = agent === MAIN_AGENT ? mainLines(event, partial) : [];
  const line = lineOf(agent, event);
  return line === undefined ? ofMain : [...ofMain, line];
}

function lineOf(agent: string, event: AgentEvent): Line | undefined {
  switch (event.kind) {
    case 'fault-met':
      // Reported by its own line.
      if (event.fault === FELL_BACK) return undefined;
      return event.retry === undefined ? faultLine(event) : retryLine(event.fault, event.retry, event.line);
    case 'model-fallback': {
      const { from, to, reason, line } = event;
      return system('model_fallback', { trigger: reason, original_model: from, fallback_model: to, content: line });
    }
    case 'line-shown':
      return shownLine(event.level, event.line);
    case 'permission-answered':
      return event.behavior === 'deny' ? deniedLine(agent, event) : undefined;
    case 'hook-began':
      return system('hook_started', hookFields(event));
    case 'hook-finished': {
      const { stdout, stderr, outcome, exitCode: exit_code } = event;
      const output = [stdout, stderr].filter((one) => one !== '').join('\n');
      return system('hook_response', { ...hookFields(event), output, stdout, stderr, exit_code, outcome });
    }
    default:
      return undefined;
  }
}

/** A line for the user. Clients show `content`; they know no level above `warning`. */
export function shownLine(level: 'info' | 'warning' | 'error', line: string): Line {
  const isError = level === 'error';
  return system('informational', {
    level: isError ? 'warning' : level,
    content: line,
    is_error: isError ? true : undefined,
  });
}

function mainLines(event: AgentEvent, partial: boolean): readonly Line[] {
  switch (event.kind) {
    case 'request-sent':
      return partial ? [system('status', { status: 'requesting' })] : [];
    case 'session-named':
      return [system('session_title_changed', { title: event.name })];
    case 'compaction-began':
      return [system('status', { status: 'compacting' })];
    case 'compaction-failed':
      return [system('status', { status: null, compact_result: 'failed', compact_error: event.reason })];
    case 'history-compacted':
      return [
        system('status', { status: null, compact_result: 'success' }),
        system('compact_boundary', { compact_metadata: compaction(event) }),
      ];
    case 'mode-changed':
      return [system('status', { status: null, permissionMode: event.mode })];
    default:
      return [];
  }
}

function compaction({ trigger, usage, messages, blocks }: DurableEventOf<'history-compacted'>): Line {
  return {
    trigger: trigger === 'manual' ? 'manual' : 'auto',
    pre_tokens: usage === undefined ? 0 : inputTokens(usage),
    post_tokens: blocks.reduce((sum, block) => sum + estimateBlock(block), 0),
    messages,
  };
}

function faultLine({ fault, line }: DurableEventOf<'fault-met'>): Line {
  return { ...shownLine('warning', line), fault };
}

function retryLine(fault: string, retry: NonNullable<DurableEventOf<'fault-met'>['retry']>, line: string): Line {
  return system('api_retry', {
    attempt: retry.attempt,
    max_retries: retry.most,
    retry_delay_ms: retry.delayMs,
    error_status: retry.status,
    error: errorCategory(fault),
    line,
  });
}

/** Only for denials that nobody was asked about: the one who answered knows. */
function deniedLine(agent: string, event: DurableEventOf<'permission-answered'>): Line | undefined {
  const { by, reason = 'it is not allowed' } = event;
  if (by === 'person' || by === 'hook' || by === 'interruption') return undefined;
  return system('permission_denied', {
    tool_name: event.tool,
    tool_use_id: event.call,
    agent_id: agent === MAIN_AGENT ? undefined : agent,
    decision_reason_type: by,
    decision_reason: reason,
    message: reason,
  });
}

function hookFields({ run, event, name }: Extract<LiveEvent, { kind: 'hook-began' | 'hook-finished' }>): Line {
  return { hook_id: run, hook_name: name, hook_event: event };
}

function system(subtype: string, fields: Line): Line {
  return definedFields({ type: 'system', subtype, ...fields });
}
