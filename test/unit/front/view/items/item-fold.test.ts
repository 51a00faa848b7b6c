import { describe, expect, it } from 'vitest';
import { forkDirective } from '../../../../../src/agents/fork/fork-directive.text.js';
import type { Item } from '../../../../../src/front/view/items/item.js';
import { ItemFold } from '../../../../../src/front/view/items/item-fold.js';
import { type ContentBlock, text } from '../../../../../src/protocol/blocks.js';
import type { AgentEvent, DurableEvent, Origin } from '../../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../../src/protocol/frozen-block.js';
import { reminder } from '../../../../../src/protocol/tags.js';
import { NO_USAGE } from '../../../../../src/protocol/usage.js';
import fc from '../../../../support/fast-check.js';

/** Gives the events in order, durable ones with their number. */
function fold(events: readonly AgentEvent[], streams = false): Item[] {
  const items = new ItemFold({ streams });
  return events.flatMap((event, index) => items.take(event, isLive(event) ? undefined : index));
}

const isLive = ({ kind }: AgentEvent) =>
  /-streamed$|^block-|^request-sent$|^response-began$|^call-started$|^line-shown$/.test(kind);

const admitted = (origin: Origin, blocks: readonly ContentBlock[], rest: object = {}): DurableEvent => ({
  kind: 'input-admitted',
  origin,
  key: 'k',
  blocks: blocks.map(freezeBlock),
  ...rest,
});
const joined = (...from: number[]): DurableEvent => ({ kind: 'message-joined', from });
const replied = (...blocks: ContentBlock[]): DurableEvent => ({
  kind: 'assistant-replied',
  response: 'r',
  model: 'm',
  stop: 'end_turn',
  usage: NO_USAGE,
  requestBytes: 1,
  blocks: blocks.map(freezeBlock),
});
const use = (id: string, name: string, input: unknown): ContentBlock => ({ type: 'tool_use', id, name, input });
const thought = (thinking: string): ContentBlock => ({ type: 'thinking', thinking, signature: 's' });
const finished = (
  call: string,
  tool: string,
  rest: Partial<Extract<DurableEvent, { kind: 'call-finished' }>> = {},
): DurableEvent => ({
  kind: 'call-finished',
  call,
  tool,
  isError: false,
  effects: false,
  ms: 41_000,
  blocks: [],
  ...rest,
});
const ended = (reason: 'completed' | 'interrupted', line?: string): DurableEvent => ({
  kind: 'run-ended',
  reason,
  usage: NO_USAGE,
  ...(line === undefined ? {} : { line }),
});
const streamed = (index: number, piece: string): AgentEvent => ({ kind: 'text-streamed', index, text: piece });
const said = (words: string): Item => ({ kind: 'text', text: words });

describe('ItemFold', () => {
  it('TU-2: a transcript is a conversation: prompt, thinking, text, calls when they have ended', () => {
    const items = fold([
      admitted('person', [text('make it pass')]),
      joined(0),
      replied(thought('hm'), text('Looking.'), use('c1', 'Bash', { command: 'npm test' })),
      finished('c1', 'Bash'),
      joined(3),
      replied(text('Done.')),
      ended('completed'),
    ]);
    expect(items).toEqual([
      { kind: 'prompt', seq: 0, text: 'make it pass', attached: 0 },
      { kind: 'thinking', text: 'hm' },
      said('Looking.'),
      {
        kind: 'call',
        call: 'c1',
        tool: 'Bash',
        input: { command: 'npm test' },
        isError: false,
        ms: 41_000,
        result: [],
      },
      said('Done.'),
    ]);
  });

  it('TU-22: a prompt is an item when it is read; a withdrawn one is none', () => {
    const events = [
      admitted('person', [text('one')]),
      admitted('person', [text('two')]),
      admitted('person', [text('three')]),
    ];
    expect(fold(events)).toEqual([]);
    const items = fold([...events, { kind: 'input-withdrawn', inputs: [1] }, joined(0, 2), joined(0, 1, 2)]);
    expect(items.map((item) => item.kind === 'prompt' && item.text)).toEqual(['one', 'three']);
    expect(fold([...events, { kind: 'history-cleared' }, joined(0, 1, 2)]).map(({ kind }) => kind)).toEqual(['line']);
  });

  it('TU-2: our additions to a prompt are left out; attachments are counted', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } } as const;
    const file = text(reminder('@a.ts is attached (/w/a.ts):\n1 x'));
    const items = fold([admitted('person', [text('see'), image, file, text(reminder('the date changed'))]), joined(0)]);
    expect(items).toEqual([{ kind: 'prompt', seq: 0, text: 'see', attached: 2 }]);
    expect(fold([admitted('reminder', [text(reminder('x'))]), joined(0)])).toEqual([]);
  });

  it('TU-9: a fork begins with its directive alone, without placeholders and fixed text', () => {
    const directive = forkDirective({ directive: 'Fix <~system-reminder> in auth', ownCheckout: true });
    const placeholder = { type: 'tool_result', tool_use_id: 'p', content: 'Fork started' } as const;
    const items = fold([
      admitted('fork-placeholders', [placeholder]),
      admitted('fork-directive', [text(directive)]),
      admitted('reminder', [text('worktree')]),
      joined(0, 1, 2),
    ]);
    expect(items).toEqual([
      { kind: 'message', seq: 1, from: 'parent', text: expect.stringMatching(/^Fix <.*> in auth$/) },
    ]);
  });

  it('TU-10: tasks and messages of other agents have their sender', () => {
    const message = '<agent-message from="a &amp; b">\nhello\nthere\n</agent-message>\nThis comes from another agent.';
    const items = fold([
      admitted('message', [text('find it')], { key: 'task' }),
      admitted('message', [text(message)]),
      admitted('hook', [text(reminder('context'))]),
      joined(0, 1, 2),
    ]);
    expect(items).toEqual([
      { kind: 'message', seq: 0, from: 'parent', text: 'find it' },
      { kind: 'message', seq: 1, from: 'agent', name: 'a & b', text: 'hello\nthere' },
      { kind: 'message', seq: 2, from: 'hook', text: 'context' },
    ]);
  });

  it('TU-7: the end of a task is a notice', () => {
    const words =
      '<task-notification>\n<status>failed</status>\n<summary>explore &lt;x&gt; failed</summary>\n</task-notification>';
    const items = fold([admitted('notice', [text(words)], { notice: { agent: 'a1', run: 1 } }), joined(0)]);
    expect(items).toEqual([{ kind: 'notice', agent: 'a1', status: 'failed', text: 'explore <x> failed' }]);
  });

  it('TU-2: todos are an item, their call is none unless it failed', () => {
    const reply = replied(use('t1', 'TodoWrite', {}), use('t2', 'TodoWrite', {}));
    const todos: DurableEvent = { kind: 'todos-changed', items: [{ content: 'a', status: 'pending' }] };
    const items = fold([reply, todos, finished('t1', 'TodoWrite'), finished('t2', 'TodoWrite', { isError: true })]);
    expect(items.map(({ kind }) => kind)).toEqual(['todos', 'call']);
  });

  it('TU-2: a call of another agent is shown without its input, one outside the conversation only if it is known', () => {
    const started: AgentEvent = { kind: 'call-started', call: 's', tool: 'Bash', input: { command: 'ls' } };
    expect(fold([finished('x', 'Bash')])).toMatchObject([{ kind: 'call', tool: 'Bash', input: undefined }]);
    expect(fold([finished('s', 'Bash', { aside: true })])).toEqual([]);
    expect(fold([started, finished('s', 'Bash', { aside: true })])).toMatchObject([{ input: { command: 'ls' } }]);
    expect(fold([{ ...started, tool: 'Read' }, finished('s', 'Read', { aside: true })])).toEqual([]);
  });

  it('TU-2: changes of the conversation and faults are lines', () => {
    const lines = fold([
      { kind: 'history-compacted', trigger: 'auto', messages: 3, blocks: [] },
      { kind: 'history-cleared' },
      { kind: 'history-rewound', before: 1, conversation: true, files: [{ path: 'a', sha256: null, from: null }] },
      { kind: 'mode-changed', mode: 'plan' },
      { kind: 'fault-met', fault: 'f', line: 'something broke' },
      { kind: 'line-shown', level: 'warning', line: 'look' },
      { kind: 'agent-state-changed', state: 'stopped', run: 1, by: 'person' },
      ended('interrupted'),
      ended('completed', 'no more money'),
    ]);
    expect(lines.map((item) => item.kind === 'line' && `${item.level} ${item.text}`)).toEqual([
      'info Compacted the conversation to make room. The full text stays in the transcript.',
      'info Conversation cleared. Earlier messages stay in the transcript.',
      'info Rewound to before a prompt: conversation and 1 file restored',
      'info mode: plan',
      'warning something broke',
      'warning look',
      'warning stopped by person',
      'warning interrupted',
      'error no more money',
    ]);
  });

  it('TU-27: the fault that ends a run is shown once; any other has its own line', () => {
    const retry = { attempt: 1, most: 2, delayMs: 10, status: null };
    const fault = (line: string, more: object = {}): DurableEvent => ({ kind: 'fault-met', fault: 'x', line, ...more });
    const end = (line?: string): DurableEvent => ({
      kind: 'run-ended',
      reason: 'api_error',
      usage: NO_USAGE,
      ...(line === undefined ? {} : { line }),
    });
    expect(fold([fault('again soon', { retry }), fault('gave up'), end('gave up')])).toEqual([
      { kind: 'line', level: 'error', text: 'gave up' },
    ]);
    expect(fold([fault('odd'), end('gave up')])).toEqual([
      { kind: 'line', level: 'warning', text: 'odd' },
      { kind: 'line', level: 'error', text: 'gave up' },
    ]);
    expect(fold([fault('odd'), replied(text('Hi'))])).toEqual([
      { kind: 'line', level: 'warning', text: 'odd' },
      { kind: 'text', text: 'Hi' },
    ]);
  });

  it('TU-27: retries are no items; the last one stays when the run ends without an answer', () => {
    const retry = (attempt: number): DurableEvent => ({
      kind: 'fault-met',
      fault: 'overloaded',
      line: `overloaded (${attempt})`,
      retry: { attempt, most: 10, delayMs: 1, status: 529 },
    });
    expect(fold([retry(1), retry(2), replied(text('ok')), ended('completed')])).toEqual([said('ok')]);
    const items = fold([retry(1), retry(2), ended('interrupted')]);
    expect(items.map((item) => item.kind === 'line' && item.text)).toEqual(['overloaded (2)', 'interrupted']);
  });
});

describe('ItemFold of a session whose text is shown while it streams', () => {
  const sent: AgentEvent = { kind: 'request-sent', turn: 1, bytes: 1 };

  it('TU-1: streamed text is no item, other text is one, and thinking comes before the text', () => {
    const reply = replied(thought('hm'), text('one'), use('c', 'Bash', {}), text('two'));
    const think: AgentEvent = { kind: 'thinking-streamed', index: 0, text: 'hm' };
    const done: AgentEvent = { kind: 'block-finished', index: 0 };
    const live = new ItemFold({ streams: true });
    live.take(sent, undefined);
    expect(live.take(think, undefined)).toEqual([]);
    expect(live.take(done, undefined)).toEqual([{ kind: 'thinking', text: 'hm' }]);
    expect(live.take(streamed(1, 'one'), undefined)).toEqual([]);
    expect(live.take(reply, 1)).toEqual([said('two')]);
    expect(live.take(replied(text('three')), 2)).toEqual([said('three')]);
    expect(fold([sent, think, done, streamed(1, 'one'), reply]).map(({ kind }) => kind)).toEqual([
      'thinking',
      'text',
      'text',
    ]);
  });

  it('TU-1: a discarded reply is retracted in a line, and the next one starts fresh', () => {
    const discarded: DurableEvent = {
      kind: 'response-discarded',
      line: 'the connection broke',
      delayMs: 0,
      model: '',
      usage: NO_USAGE,
      requestBytes: 0,
    };
    const items = fold([sent, streamed(0, 'half'), discarded, sent, replied(text('whole'))], true);
    expect(items).toEqual([
      { kind: 'line', level: 'warning', text: 'Ignore the partial reply above: the connection broke' },
      said('whole'),
    ]);
    expect(fold([sent, streamed(0, ' \n'), discarded], true)).toEqual([]);
  });

  it('TU-1: text of an incomplete reply does not affect the next one', () => {
    expect(fold([sent, streamed(0, 'half'), ended('interrupted'), sent, replied(text('next'))], true)).toMatchObject([
      { kind: 'line', text: 'interrupted' },
      said('next'),
    ]);
  });

  it('TU-1: whatever is streamed, every text is shown once: by the stream or as an item', () => {
    const block = fc.constantFrom('text', 'thinking', 'call', 'blank');
    const replies = fc.array(fc.array(fc.tuple(block, fc.boolean()), { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(replies, fc.boolean(), (turns, streams) => {
        let count = 0;
        const shown: string[] = [];
        const all: string[] = [];
        const live = new ItemFold({ streams });
        const take = (event: AgentEvent) => {
          for (const item of live.take(event, isLive(event) ? undefined : 1))
            if (item.kind === 'text') shown.push(item.text);
        };
        for (const turn of turns) {
          take(sent);
          // A provider that streams at all streams from the start of a reply, in order.
          const until = turn.findIndex(([, isStreamed]) => !isStreamed);
          const blocks = turn.flatMap(([kind], index): ContentBlock[] => {
            const isStreamed = streams && (until === -1 || index < until);
            const words = kind === 'blank' ? ' ' : `${kind} ${count}`;
            count += 1;
            if (kind === 'text') all.push(words);
            if (isStreamed && (kind === 'text' || kind === 'blank')) {
              take(streamed(index, words.slice(0, 2)));
              take(streamed(index, words.slice(2)));
              if (kind === 'text') shown.push(words);
            }
            if (isStreamed && kind === 'thinking') take({ kind: 'thinking-streamed', index, text: words });
            if (kind === 'blank') return [];
            return kind === 'thinking' ? [thought(words)] : kind === 'call' ? [use(words, 'Bash', {})] : [text(words)];
          });
          take(replied(...blocks));
        }
        expect(shown).toEqual(all);
      }),
    );
  });
});
