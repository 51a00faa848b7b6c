/** What a tool gave, in the blocks of MCP. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CalledTool } from '../../engine/commands/command-results.js';
import type { ResultContent } from '../../protocol/blocks.js';

export function callResult(called: CalledTool, call: string): CallToolResult {
  if (!called.ok) return { isError: true, content: [{ type: 'text', text: called.reason }] };
  const content = called.content.map((block, index) => contentBlock(block, `${call}/${index}`));
  return called.isError ? { isError: true, content } : { content };
}

function contentBlock(block: ResultContent, id: string): CallToolResult['content'][number] {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
    case 'document': {
      const { data, media_type: mimeType } = block.source;
      return { type: 'resource', resource: { uri: `coppice:/documents/${id}`, mimeType, blob: data } };
    }
    default:
      return block satisfies never;
  }
}
