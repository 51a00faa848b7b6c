/** What the tests of sdk-servers.test.ts share with those of test:long. */

import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';
import { callsFor } from '../../../support/mcp/told.js';

export const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export function makeCalc(more: { timeout?: number; onCall?: (signal: AbortSignal) => Promise<void> } = {}) {
  const input = { a: z.number(), b: z.number() };
  return createSdkMcpServer({
    name: 'calc',
    version: '1.2.3',
    ...(more.timeout === undefined ? {} : { timeout: more.timeout }),
    tools: [
      tool(
        'add',
        'Adds two numbers',
        input,
        async ({ a, b }, extra) => {
          await more.onCall?.((extra as { signal: AbortSignal }).signal);
          return text(`the sum is ${a + b}`);
        },
        { annotations: { readOnlyHint: true } },
      ),
    ],
  });
}

export const ADD = { tool: 'mcp__calc__add', input: { a: 2, b: 3 } };

export const RULES = [...callsFor('add', [ADD]), { reply: 'ok' }];
