/** What a model is told and what it calls, in stories about MCP servers. */

import type { ReplyBlock, Rule, SimRequest } from '../../../src/sim/index.js';

export type ToldResult = { readonly text: string; readonly isError: boolean; readonly types: readonly string[] };

type Content = string | readonly { readonly type: string; readonly text?: string }[];
type Block = {
  readonly type: string;
  readonly text?: string;
  readonly is_error?: boolean;
  readonly content?: Content;
};
type Body = {
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
};

/** One call after the other, each in a turn of its own, in answer to a prompt with these words. */
export function callsFor(words: string, calls: readonly ReplyBlock[]): Rule[] {
  const isStep =
    (index: number) =>
    ({ said }: { readonly said: readonly string[] }) =>
      said.length > 0 && said.length - 1 - said.findLastIndex((one) => one.includes(words)) === index;
  return [
    ...calls.map((call, index) => ({ when: { said: words, where: isStep(index) }, reply: [call] })),
    { when: { said: words, where: isStep(calls.length) }, reply: `${words}: done` },
  ];
}

export function bodyOf(request: SimRequest | undefined): Body {
  return JSON.parse(request?.raw.toString('utf8') ?? '{"messages":[]}') as Body;
}

export function toolsOf(request: SimRequest | undefined): NonNullable<Body['tools']> {
  return bodyOf(request).tools ?? [];
}

export function toolNames(request: SimRequest | undefined): string[] {
  return toolsOf(request).map(({ name }) => name);
}

export function mcpNames(request: SimRequest | undefined): string[] {
  return toolNames(request).filter((name) => name.startsWith('mcp__'));
}

/** The results of all calls in the conversation so far, in order. */
export function resultsIn(request: SimRequest | undefined): ToldResult[] {
  const blocks = bodyOf(request).messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ content = '', is_error }) => {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return {
        text: parts.map(({ text }) => text ?? '').join('\n'),
        isError: is_error === true,
        types: parts.map(({ type }) => type),
      };
    });
}

/** All words of the person's turns, without results of tools. */
export function wordsIn(request: SimRequest | undefined): string {
  const turns = bodyOf(request).messages.filter(({ role }) => role === 'user');
  return turns
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map(({ text }) => text ?? '')))
    .join('\n');
}

export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
