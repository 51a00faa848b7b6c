/** Checks the parts of a stream event that we use: they are stored in records and sent back to the API. */

import type { WireEvent, WireUsage } from './wire.js';

/** Throws a `SyntaxError` for an unusable event. Unknown events pass. */
export function checkEvent(event: WireEvent): WireEvent {
  switch (event.type) {
    case 'content_block_start': {
      const { content_block: block } = event;
      if (block.type === 'text') need(block.text ?? '');
      if (block.type === 'thinking') need(block.thinking ?? '', block.signature ?? '');
      if (block.type === 'redacted_thinking') need(block.data);
      if (block.type === 'tool_use' || block.type === 'server_tool_use') need(block.id, block.name);
      if (block.type === 'web_search_tool_result') need(block.tool_use_id);
      return event;
    }
    case 'content_block_delta': {
      const { delta } = event;
      if (delta.type === 'text_delta') need(delta.text);
      if (delta.type === 'thinking_delta') need(delta.thinking);
      if (delta.type === 'signature_delta') need(delta.signature);
      if (delta.type === 'input_json_delta') need(delta.partial_json);
      return event;
    }
    case 'message_delta':
      need(event.delta.stop_reason ?? '');
      return event;
    default:
      return event;
  }
}

function need(...values: readonly unknown[]): void {
  if (values.some((value) => typeof value !== 'string')) throw new SyntaxError('not a text');
}

/** False if a figure is not a valid count. Some servers send text, or negative numbers. */
export function isCountable(usage: WireUsage | null | undefined): boolean {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation } =
    usage ?? ({} as Partial<WireUsage>);
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } =
    cache_creation ?? ({} as Partial<NonNullable<WireUsage['cache_creation']>>);
  return [
    input_tokens,
    output_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens,
    ephemeral_5m_input_tokens,
    ephemeral_1h_input_tokens,
    usage?.server_tool_use?.web_search_requests,
  ].every((figure: unknown) => figure === undefined || figure === null || isCount(figure));
}

function isCount(figure: unknown): boolean {
  return typeof figure === 'number' && figure >= 0 && figure <= Number.MAX_SAFE_INTEGER;
}
