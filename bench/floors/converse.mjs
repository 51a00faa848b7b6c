/** A minimal conversation with raw fetch: serialises every request, parses its stream, runs Read calls. */

import { readFile } from 'node:fs/promises';

/** Sends requests until the model calls no more tools. `onCalls` may handle calls of other tools. */
export async function converse(template, messages, onCalls = readFiles) {
  for (;;) {
    const content = await ask(template, messages);
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return content.find((block) => block.type === 'text')?.text ?? '';
    messages.push({ role: 'user', content: await onCalls(calls) });
  }
}

export async function ask(template, messages) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...template, messages: withMarker(messages) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const content = [];
  for await (const event of events(response.body)) {
    if (event.type === 'content_block_start') content[event.index] = { ...event.content_block, json: '' };
    if (event.type === 'content_block_delta') {
      const block = content[event.index];
      if (event.delta.type === 'text_delta') block.text += event.delta.text;
      if (event.delta.type === 'input_json_delta') block.json += event.delta.partial_json;
    }
  }
  return content.map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block,
  );
}

async function* events(body) {
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
  }
}

/** Adds a cache breakpoint at the end, like the program. */
function withMarker(messages) {
  const last = messages.at(-1);
  const block = { ...last.content.at(-1), cache_control: { type: 'ephemeral' } };
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), block] }];
}

export async function readFiles(calls) {
  return Promise.all(
    calls.map(async ({ id, input }) => {
      const lines = (await readFile(input.file_path, 'utf8')).split('\n');
      const text = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n');
      return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] };
    }),
  );
}
