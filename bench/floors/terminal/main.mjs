/**
 * The floor of the terminal rows: the least program that shows a reply as it comes, agents that work, and an editor, after
 * the prototype of the trial that chose the renderer. It keeps no session, has no questions, no themes, no pages.
 */

import truncate from 'fast-string-truncated-width';
import measure from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { EditModel } from './edit.mjs';
import { Term } from './term.mjs';
import { AGENTS, agents, BEGIN, startAgents, startStream } from './work.mjs';

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const MOST_TAIL = 12;
const widths = new Map();
const editor = new EditModel();
const cyan = (text) => `\x1b[36m${text}\x1b[39m`;
const dim = (text) => `\x1b[2m${text}\x1b[22m`;
let isDone = false;
let blocks = 0;
let markdown;
let splitter = { tail: '' };
let tail = { text: '', width: 0, rows: [] };

const term = new Term((columns, rows) => {
  const width = columns - 1;
  const { rows: edited, caret } = editor.rows(width - 4, widthOf);
  const room = Math.max(4, rows - 2 - edited.length - 3);
  const mostTail = Math.max(2, Math.min(MOST_TAIL, room - AGENTS - 1));
  const mostAgents = Math.max(1, Math.min(AGENTS, room - mostTail - 1));
  if (tail.text !== splitter.tail || tail.width !== width) {
    const made = splitter.tail.trim() ? markdown(splitter.tail, width, wrap, widthOf) : [];
    tail = { text: splitter.tail, width, rows: made };
  }
  const lines = [...tail.rows.slice(-mostTail), cyan(`╭─ EDITOR ${'─'.repeat(Math.max(0, width - 11))}╮`)];
  const at = lines.length;
  for (const row of edited)
    lines.push(`${cyan('│ ')}${row}${' '.repeat(Math.max(0, width - 4 - widthOf(row)))}${cyan(' │')}`);
  lines.push(cyan(`╰${'─'.repeat(Math.max(0, width - 2))}╯`));
  for (const agent of agents.slice(0, mostAgents)) lines.push(agentRow(agent, width));
  if (mostAgents < AGENTS) lines.push(dim(`  … ${AGENTS - mostAgents} more`));
  lines.push(`STATUS ${isDone ? 'done' : 'streaming'} · ${blocks} blocks · ${AGENTS} agents`);
  return { lines, caret: { row: at + caret.row, column: 2 + caret.column } };
});

term.start((data) => {
  if (data === '\x04') {
    term.stop();
    process.exit(0);
  }
  if (data === '\x7f') editor.back();
  else if (data === '\r') {
    term.pending.push(...wrap(`> ${editor.value}`, process.stdout.columns - 1).split('\n'), '');
    editor.clear();
  } else if (!data.startsWith('\x1b')) editor.insert(data);
  term.frame(true);
});
term.frame(true);
setImmediate(async () => {
  // What is not needed for the first paint is loaded after it.
  const loaded = await import('./markdown.mjs');
  markdown = loaded.markdown;
  splitter = new loaded.Splitter();
});
process.once(BEGIN, begin);

function begin() {
  startAgents({
    onTokens: (agent) => {
      agent.tokens += 37;
      agent.cost += 0.0004;
    },
    onTool: (agent, tool) => {
      agent.tool = tool;
    },
    onTick: () => term.frame(),
  });
  startStream(
    (delta) => {
      say(splitter.push(delta));
      term.frame();
    },
    () => {
      say(splitter.end());
      isDone = true;
      term.frame();
    },
  );
}

function say(whole) {
  for (const block of whole) {
    blocks += 1;
    term.pending.push(...markdown(block, process.stdout.columns - 1, wrap, widthOf), '');
  }
}

function agentRow({ depth, name, tool, seconds, tokens, cost }, width) {
  const sign = SPINNER[Math.floor(seconds * 10) % 10];
  const right = `${sign} ${seconds.toFixed(0)}s ${tokens} tok 90% $${cost.toFixed(2)}`;
  const left = clip(`${'  '.repeat(depth)}${depth > 0 ? '└ ' : '● '}${name} ${tool}`, width - widthOf(right) - 1);
  return left + ' '.repeat(Math.max(1, width - widthOf(left) - widthOf(right))) + dim(right);
}

function widthOf(text) {
  let known = widths.get(text);
  if (known === undefined) {
    known = /^[\x20-\x7e]*$/.test(text) ? text.length : measure(text);
    if (widths.size > 5000) widths.clear();
    widths.set(text, known);
  }
  return known;
}

function wrap(text, width) {
  return wrapAnsi(text, Math.max(1, width), { hard: true, trim: false });
}

function clip(text, width) {
  if (widthOf(text) <= width) return text;
  const { index } = truncate(text, { limit: width - 1, ellipsis: '' }, {});
  return `${text.slice(0, index)}…\x1b[0m`;
}
