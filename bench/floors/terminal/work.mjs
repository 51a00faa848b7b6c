/**
 * The work that both programs of the terminal rows do: a reply of Markdown lines that comes by the clock, and agents that
 * change ten times a second. No terminal code. What it shall be comes from the environment.
 */

const { env } = process;
const LINES = Number(env.LINES ?? 2000);
const RATE = Number(env.RATE ?? 200);
export const AGENTS = Number(env.AGENTS ?? 20);
const TICK_MS = 20;
/** What it begins at: each program has loaded everything by then. */
export const BEGIN = 'SIGUSR2';

/** Every line has its own number, so that a lost or doubled one is found. */
export function source(count = LINES) {
  const out = [];
  let line = 1;
  const next = () => `L${String(line++).padStart(5, '0')}`;
  const some = (most, make) => {
    for (let at = 0; at < most && line <= count; at += 1) out.push(make(at));
  };
  const kinds = [
    () => out.push(`## ${next()} Heading about **renderers** and \`diffs\``),
    () =>
      some(
        4,
        () =>
          `${next()} a paragraph line with **bold**, _italics_, \`code\` and a [link](https://example.com/x) that runs on for a while`,
      ),
    () => some(6, (at) => `- ${next()} item ${at} with \`inline\` code and **weight**`),
    () => {
      out.push('```ts');
      some(10, (at) => `  const ${next()} = compute(a[${at}], { deep: true }); // keep`);
      out.push('```');
    },
    () => {
      out.push(`| ${next()} | name | value |`, '|---|---|--:|');
      some(5, (at) => `| ${next()} | row ${'x'.repeat(at * 3)} | ${at * 1000} |`);
    },
    () =>
      some(
        3,
        () =>
          `${next()} 你好世界，这是一行中文 👩‍👩‍👧 🇩🇪 👍🏽 cafe\u0301 שלום עולם مرحبا ｆｕｌｌ 한국어 ${'字'.repeat(12)}`,
      ),
    () => some(2, () => `> ${next()} quoted text, not very long`),
    () =>
      some(
        3,
        (at) =>
          `${at + 1}. ${next()} ordered item with a longer text that will wrap in a narrow window because it is long`,
      ),
  ];
  for (let kind = 0; line <= count; kind += 1) {
    kinds[kind % kinds.length]();
    out.push('');
  }
  return `${out.join('\n')}\n`;
}

/** Deltas of odd size, by the clock. `AT_ONCE`: all of it in one piece. */
export function startStream(onDelta, onEnd) {
  const text = source();
  if (env.AT_ONCE) {
    setTimeout(() => {
      onDelta(text);
      onEnd();
    }, 300);
    return;
  }
  const total = (LINES / RATE) * 1000;
  const began = Date.now();
  let at = 0;
  const timer = setInterval(() => {
    const to = Math.min(text.length, Math.floor((text.length * (Date.now() - began)) / total));
    if (to > at) onDelta(text.slice(at, to));
    at = to;
    if (at < text.length) return;
    clearInterval(timer);
    onEnd();
  }, TICK_MS);
}

export const TOOLS = [
  'Bash npm test',
  'Read src/core/loop.ts',
  'Edit src/live.ts',
  'Grep "paint"',
  'thinking',
  'Fetch',
];

export const agents = Array.from({ length: AGENTS }, (_, id) => ({
  id,
  depth: id % 5 === 0 ? 0 : 1 + (id % 2),
  name: `agent-${id}`,
  tool: TOOLS[id % 6],
  seconds: 0,
  tokens: 1000 * id,
  cost: 0,
}));

/** Each third tick an agent has new tokens, each seventeenth another tool. */
export function startAgents({ onTokens, onTool, onTick }) {
  let tick = 0;
  setInterval(() => {
    tick += 1;
    for (const agent of agents) {
      agent.seconds += 0.1;
      if ((tick + agent.id) % 3 === 0) onTokens(agent);
      if ((tick + agent.id) % 17 === 0) onTool(agent, TOOLS[(tick + agent.id) % 6]);
    }
    onTick();
  }, 100);
}
