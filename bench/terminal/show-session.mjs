/**
 * The product's side of the terminal rows: the terminal as it is (`src/front/tui`), on a session that only tells events, in
 * the rhythm of the floor. So both programs show the same; the model, the agents and the records, which the floor does not
 * have, are measured by other rows.
 */

import { Opening } from '../../src/front/tui/app/opening-stage.ts';
import { holdConversation } from '../../src/front/tui/app/run-conversation.ts';
import { Ui } from '../../src/front/tui/app/ui.ts';
import { nodeHost } from '../../src/host/node-host.ts';
import { agents, BEGIN, startAgents, startStream } from '../floors/terminal/work.mjs';

const MAIN = 'main';
const MODEL = 'claude-opus-4-6';
/** Of about 37 tokens. */
const WORDS = 'What an agent says while it works, token by token. '.repeat(3);
const { stdin: input, stdout: output, env } = process;
const leaving = new AbortController();
const leave = () => leaving.abort();
let listener = () => {};
let seq = 0;
const tell = (agent, event) => listener({ agent, seq: undefined, event });
const record = (agent, event) => {
  seq += 1;
  listener({ agent, seq, event });
};

const session = {
  id: 'bench',
  cwd: process.cwd(),
  model: MODEL,
  mode: 'default',
  models: {},
  warnings: [],
  past: undefined,
  pastAgents: [],
  statusLine: undefined,
  ui: { theme: undefined, notify: 'off', editorMode: 'normal', agentsWarnAt: 500 },
  history: { entries: async () => [], draft: async () => undefined, add: async () => {}, saveDraft: async () => {} },
  questions: () => [],
  onWoken: () => () => {},
  watch: () => () => {},
  execute: async () => ({ ok: false, reason: 'nobody is there' }),
  attach: ({ onEvent }) => {
    listener = onEvent;
    process.once(BEGIN, begin);
    return () => {};
  },
};

const ui = new Ui({ input, output, env, onEnding: leave });
const opening = new Opening(ui, leave, undefined);
ui.start(opening);
await holdConversation({
  ui,
  session,
  host: nodeHost(process.cwd()),
  takePrompts: () => [],
  signal: leaving.signal,
  leave,
});
ui.stop();
process.exit(0);

function begin() {
  for (const agent of agents) start(agent);
  record(MAIN, { kind: 'turn-started', turn: 1 });
  tell(MAIN, { kind: 'request-sent', turn: 1, bytes: 1000 });
  tell(MAIN, { kind: 'response-began', turn: 1, response: 'r', model: MODEL, usage: usageOf(1000) });
  tell(MAIN, { kind: 'block-began', index: 0, block: { type: 'text' } });
  startAgents({
    onTokens: ({ name }) => tell(name, { kind: 'text-streamed', index: 0, text: WORDS }),
    onTool: ({ name }, tool) => use(name, tool),
    onTick: () => {},
  });
  startStream(
    (text) => tell(MAIN, { kind: 'text-streamed', index: 0, text }),
    () => {
      tell(MAIN, { kind: 'block-finished', index: 0 });
      record(MAIN, replied(0));
      record(MAIN, { kind: 'run-ended', reason: 'completed', turns: 1 });
    },
  );
}

function start({ name }) {
  record(name, {
    kind: 'agent-spawned',
    parent: MAIN,
    type: 'fork',
    name,
    description: `the work of ${name}`,
    depth: 1,
    model: MODEL,
    cwd: session.cwd,
    background: true,
  });
  record(name, { kind: 'agent-state-changed', state: 'running', run: 1 });
  record(name, { kind: 'turn-started', turn: 1 });
}

/** One call ends, the next begins. */
function use(name, words) {
  const [tool, ...what] = words.split(' ');
  record(name, replied(1000));
  tell(name, { kind: 'call-started', call: `${name} ${seq}`, tool, input: { command: what.join(' ') } });
  record(name, {
    kind: 'call-finished',
    call: `${name} ${seq}`,
    tool,
    isError: false,
    effects: false,
    ms: 1,
    blocks: [],
  });
  tell(name, { kind: 'call-started', call: `${name} ${seq}`, tool, input: { command: what.join(' ') } });
}

function replied(input) {
  return {
    kind: 'assistant-replied',
    response: 'r',
    model: MODEL,
    stop: 'end_turn',
    usage: usageOf(input),
    requestBytes: 1000,
    blocks: [],
  };
}

function usageOf(input) {
  return { input, output: 37, cacheRead: 900, cacheWrite5m: 0, cacheWrite1h: 0 };
}
