/** Content blocks and messages: the parts of a conversation, in the shape of the Messages API. */

export type TextBlock = { readonly type: 'text'; readonly text: string };

export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export type ImageBlock = {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: ImageMediaType; readonly data: string };
};

export type DocumentBlock = {
  readonly type: 'document';
  readonly source: { readonly type: 'base64'; readonly media_type: 'application/pdf'; readonly data: string };
  readonly title?: string;
};

export type ThinkingBlock = { readonly type: 'thinking'; readonly thinking: string; readonly signature: string };

export type RedactedThinkingBlock = { readonly type: 'redacted_thinking'; readonly data: string };

export type ToolUseBlock = {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
};

/** The blocks a tool result may contain. */
export type ResultContent = TextBlock | ImageBlock | DocumentBlock;

export type ToolResultBlock = {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly ResultContent[];
  readonly is_error?: boolean;
};

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

export type ContentBlock = UserBlock | AssistantBlock;

export type Role = 'user' | 'assistant';

export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

export const text = (value: string): TextBlock => ({ type: 'text', text: value });
