/** Requests that are refused, and requests that must not be refused. */

import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../../src/sim/checks/check-request.js';
import * as signature from '../../../src/sim/server/signature.js';
import { assistant, call, MANUAL_MODEL, MODEL, marked, requestOf, result, tool, user } from './ask.js';

const signThinking = (text: string, model = MODEL) => signature.signThinking(text, model);
const redactThinking = (text: string, model = MODEL) => signature.redactThinking(text, model);
const thinking = (text: string, signed = signThinking(text)) =>
  ({ type: 'thinking', thinking: text, signature: signed }) as const;
const redacted = (data: string) => ({ type: 'redacted_thinking', data }) as const;
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const image = (data: string, media_type = 'image/png') =>
  ({ type: 'image', source: { type: 'base64', media_type, data } }) as never;
const manual = { model: MANUAL_MODEL, max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } } as const;
const message = (body: unknown) => checkRequest(body)?.message;

describe('SF-10: requests the API takes', () => {
  it.each([
    ['a string', requestOf([{ role: 'user', content: 'hello' }])],
    ['neighbours of one role', requestOf([user('a'), user('b'), assistant('c'), assistant('d'), user('e')])],
    [
      'results in two neighbouring messages',
      requestOf([user('a'), assistant(call('t1'), call('t2')), user(result('t1')), user(result('t2'), 'and')]),
    ],
    [
      'calls in two neighbouring messages',
      requestOf([user('a'), assistant(call('t1')), assistant(call('t2')), user(result('t2'), result('t1'))]),
    ],
    ['an empty tool result', requestOf([user('a'), assistant(call('t1')), user(result('t1', ''))])],
    ['a real image', requestOf([user('see', image(PNG))])],
    ['four markers', requestOf([user(marked('a', '1h'), marked('b', '1h'), marked('c'), marked('d', '5m'))])],
    [
      'genuine thinking',
      requestOf([user('a'), assistant(thinking('hm'), redacted(redactThinking('x')), 'b'), user('c')]),
    ],
    [
      'thinking of the same model under its dated id',
      requestOf([user('a'), assistant(thinking('hm', signThinking('hm', `${MODEL}-20260101`)), 'b'), user('c')]),
    ],
    [
      'a tool loop that began with thinking',
      requestOf(
        [
          user('a'),
          assistant(thinking('hm', signThinking('hm', MANUAL_MODEL)), call('t1')),
          user(result('t1')),
          assistant(call('t2')),
          user(result('t2')),
        ],
        manual,
      ),
    ],
    [
      'text after tool results without thinking before',
      requestOf([user('a'), assistant(call('t1')), user(result('t1'), 'go on')], manual),
    ],
    ['a prefill where the model takes one', requestOf([user('a'), assistant('The answer')], { model: MANUAL_MODEL })],
    ['characters beyond the basic plane', requestOf([user('\u{1f333}')])],
  ])('%s', (_, body) => {
    expect(checkRequest(body)).toBeUndefined();
  });
});

describe('SF-10: requests the API refuses', () => {
  it.each([
    ['no object', 'text', 'valid dictionary'],
    ['no model', { max_tokens: 1, messages: [] }, 'model: Field required'],
    ['no max_tokens', { model: 'm', messages: [user('a')] }, 'max_tokens: Field required'],
    [
      'max_tokens 0',
      requestOf([user('a')], { max_tokens: 0 }),
      'max_tokens: Input should be greater than or equal to 1',
    ],
    ['no messages', requestOf([]), 'messages: at least one message is required'],
    ['an unknown field', { ...requestOf([user('a')]), session: 1 }, 'session: Extra inputs are not permitted'],
    [
      'max_tokens within the budget',
      requestOf([user('a')], { ...manual, max_tokens: 2_000 }),
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [
      'a budget where the model takes none',
      requestOf([user('a')], { thinking: manual.thinking, max_tokens: 9_000 }),
      '"thinking.type.enabled" is not supported for this model',
    ],
    ['the assistant first', requestOf([assistant('a'), user('b')]), 'messages: first message must use the "user" role'],
    ['an unknown role', requestOf([user('a'), { role: 'tool' as never, content: 'b' }]), 'Unexpected role "tool"'],
    [
      'empty content',
      requestOf([user('a'), assistant(), user('b')]),
      'messages.1: all messages must have non-empty content',
    ],
    ['empty text', requestOf([user('')]), 'messages: text content blocks must be non-empty'],
    ['white text', requestOf([user(' \n\t')]), 'messages: text content blocks must contain non-whitespace text'],
    [
      'empty text in a result',
      requestOf([
        user('a'),
        assistant(call('t1')),
        user({ ...result('t1'), content: [{ type: 'text', text: '' }] } as never),
      ]),
      'text content blocks must be non-empty',
    ],
    [
      'an empty system block',
      requestOf([user('a')], { system: [{ type: 'text', text: '' }] }),
      'system: text content blocks must be non-empty',
    ],
    ['an unknown block', requestOf([user({ type: 'note' } as never)]), "messages.0.content.0: Input tag 'note'"],
    [
      'an unknown field of a block',
      requestOf([user({ type: 'text', text: 'a', id: 1 } as never)]),
      'messages.0.content.0.text.id: Extra inputs are not permitted',
    ],
    ['a call by the user', requestOf([user(call('t1'))]), '`tool_use` blocks can only be in `assistant` messages'],
    [
      'a call without result',
      requestOf([user('a'), assistant(call('t1'), call('t2')), user(result('t1'), 'b')]),
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2.',
    ],
    [
      'a call at the end',
      requestOf([user('a'), assistant(call('t1'))]),
      'messages.1: `tool_use` ids were found without',
    ],
    [
      'a result after text',
      requestOf([user('a'), assistant(call('t1')), user('b', result('t1'))]),
      'messages.1: `tool_use` ids were found without',
    ],
    [
      'a result without call',
      requestOf([user('a'), assistant('b'), user(result('t9'))]),
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9.',
    ],
    [
      'two results of one call',
      requestOf([user('a'), assistant(call('t1')), user(result('t1'), result('t1'))]),
      'messages.2.content.1: each tool_use must have a single result',
    ],
    [
      'an id used twice',
      requestOf([user('a'), assistant(call('t1')), user(result('t1')), assistant(call('t1')), user(result('t1'))]),
      'messages.3.content.0: `tool_use` ids must be unique',
    ],
    [
      'input that is no object',
      requestOf([user('a'), assistant(call('t1', 'Read', 'x')), user(result('t1'))]),
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [
      'an id with odd characters',
      requestOf([user('a'), assistant(call('t|1')), user(result('t|1'))]),
      'tool_use.id: String should match pattern',
    ],
    [
      'edited thinking, latest',
      requestOf([user('a'), assistant(thinking('hm', signThinking('other')), 'b'), user('c')]),
      'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
    ],
    [
      'edited thinking, earlier',
      requestOf([user('a'), assistant(thinking('', signThinking('hm')), 'b'), user('c'), assistant('d'), user('e')]),
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'edited redacted thinking',
      requestOf([user('a'), assistant(redacted(`x${redactThinking('y')}`), 'b'), user('c')]),
      'cannot be modified',
    ],
    [
      'thinking of another model, latest',
      requestOf([user('a'), assistant(thinking('hm', signThinking('hm', 'claude-sonnet-5-5')), 'b'), user('c')]),
      'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
    ],
    [
      'thinking of another model, earlier',
      requestOf([
        user('a'),
        assistant(thinking('hm', signThinking('hm', 'claude-sonnet-5-5')), 'b'),
        user('c'),
        assistant('d'),
        user('e'),
      ]),
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'redacted thinking of another model',
      requestOf([user('a'), assistant(redacted(redactThinking('x', 'claude-sonnet-5-5')), 'b'), user('c')]),
      'cannot be modified',
    ],
    [
      'thinking at the end',
      requestOf([user('a'), assistant(thinking('hm')), user('c')]),
      'messages.1: The final block in an assistant message cannot be `thinking`',
    ],
    [
      'thinking left out of a tool loop',
      requestOf([user('a'), assistant(call('t1')), user(result('t1'))], manual),
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ],
    [
      'thinking by the user',
      requestOf([user(thinking('hm'))]),
      '`thinking` blocks can only be in `assistant` messages',
    ],
    [
      'a marked thinking',
      requestOf([user('a'), assistant({ ...thinking('hm'), cache_control: { type: 'ephemeral' } }, 'b'), user('c')]),
      'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    ],
    [
      'five markers',
      requestOf([user(...'abcde'.split('').map((text) => marked(text)))]),
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a marked empty text',
      requestOf([user(marked(''))]),
      'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
    ],
    [
      'an hour after five minutes',
      requestOf([user(marked('b', '1h'))], { system: [marked('a')] }),
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
    ],
    [
      'an unknown lifetime',
      requestOf([user(marked('b', '2h' as never))]),
      "cache_control.ttl: Input should be '5m' or '1h'",
    ],
    [
      'a tool name with a dot',
      requestOf([user('a')], { tools: [tool('a.b')] }),
      'tools.0.custom.name: String should match pattern',
    ],
    [
      'two tools of one name',
      requestOf([user('a')], { tools: [tool('a'), tool('a')] }),
      'tools: Tool names must be unique.',
    ],
    [
      'a schema that is no object',
      requestOf([user('a')], { tools: [{ ...tool('a'), input_schema: { type: 'string' } }] }),
      "tools.0.custom.input_schema.type: Input should be 'object'",
    ],
    [
      'a choice of no tool',
      requestOf([user('a')], { tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } }),
      "Tool 'b' not found",
    ],
    [
      'bad base64',
      requestOf([user(image('%%%%'))]),
      'messages.0.content.0.image.source.base64.data: invalid base64 data',
    ],
    [
      'an unknown image type',
      requestOf([user(image(PNG, 'image/bmp'))]),
      'messages.0.content.0.image.source.base64.media_type: Input should be',
    ],
    [
      'another image type than said',
      requestOf([user(image(PNG, 'image/jpeg'))]),
      'but the image appears to be a image/png image',
    ],
    ['an image that is none', requestOf([user(image('aGVsbG8h'))]), 'Could not process image'],
    [
      'an image over 5 MB',
      requestOf([
        user('a'),
        assistant(call('t1')),
        user({ ...result('t1'), content: [image(PNG + 'A'.repeat(5 * 1024 * 1024))] } as never),
      ]),
      'messages.2.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB maximum',
    ],
    [
      'an image in a failed result',
      requestOf([
        user('a'),
        assistant(call('t1')),
        user({ ...result('t1'), is_error: true, content: [image(PNG)] } as never),
      ]),
      'all content must be type `text` if `is_error` is true',
    ],
    ['half a character', requestOf([user('half \ud83c of a tree')]), 'not valid JSON: no low surrogate'],
    [
      'white at the end of a prefill',
      requestOf([user('a'), assistant('b ')], { model: MANUAL_MODEL }),
      'messages: final assistant content cannot end with trailing whitespace',
    ],
    [
      'a prefill where the model takes none',
      requestOf([user('a'), assistant('b')]),
      'does not support assistant message prefill',
    ],
    [
      'more than the window',
      requestOf([user('word '.repeat(200_000))], { model: MANUAL_MODEL }),
      'prompt is too long: 250000 tokens > 200000 maximum',
    ],
  ])('%s', (_, body, expected) => {
    expect(message(body)).toContain(expected);
    expect(checkRequest(body)).toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  it('facts about a model can be overridden', () => {
    const body = requestOf([user('a'), assistant('b')]);
    expect(checkRequest(body, { models: { claude: { prefill: true } } })).toBeUndefined();
    expect(checkRequest(requestOf([user('12345678')]), { models: { claude: { contextTokens: 1 } } })?.message).toBe(
      'prompt is too long: 2 tokens > 1 maximum',
    );
  });
});
