/**
 * The work of a tortured session, as a model that only knows the conversation it receives: it sees finished steps in
 * results, notices and summaries, and applies what was interrupted. Every step appends a line for its call to a file, so
 * that a repeated, late or missing effect is visible.
 */

import { readConversation, summarise } from './conversation.mjs';

export const ALL_DONE = 'ALL OF IT IS DONE.';
export const LINES_FILE = 'lines.txt';
export const TREE_FILE = 'tree.txt';

/** `plan`: forks, whether the nested child is waited for, long commands, a conversation that must be compacted. */
export function createModel({ plan, linesFile, sleepMs, nonce }) {
  const append = (line, also = () => '') => {
    const own = `${line}.${nonce()}`;
    const command = `sleep ${sleepMs() / 1000}; echo ${own} $(date +%s%3N) >> ${linesFile}${also(own)}`;
    return { tool: 'Bash', input: { command } };
  };
  return (request) => {
    const seen = readConversation(request.body.messages);
    if (seen.asksForSummary) return summarise(seen);
    const task = /TASK OF (\S+)\./.exec(seen.directive)?.[1];
    if (task === undefined) return mainReply(seen, plan, append);
    if (task === 'nest') return nestReply(seen, plan, append);
    if (task === 'tree') return stepsReply(seen, task, 2, (line) => append(line, TREE_WORK[line]));
    return stepsReply(seen, task, task === 'leaf' || task === 'twig' ? 1 : 2, append);
  };
}

/** The child in a worktree leaves its mark there, too: first a file, then a commit. */
const TREE_WORK = {
  'tree-1': (own) => ` && echo ${own} >> ${TREE_FILE}`,
  'tree-2': (own) =>
    ` && echo ${own} >> ${TREE_FILE} && rm -f $(git rev-parse --git-dir)/*.lock && git add ${TREE_FILE} && git commit -qm ${own}`,
};

function stepsReply(seen, name, steps, append) {
  for (let step = 1; step <= steps; step += 1) {
    const line = `${name}-${step}`;
    if (!seen.done.has(line)) return [{ thinking: `I do ${line} now.` }, append(line)];
  }
  return `${name} has finished.`;
}

/** A child with children of its own: one in the background, which it waits for, and one that its call waits for. */
function nestReply(seen, { twig }, append) {
  if (!seen.done.has('nest-1')) return [append('nest-1')];
  const names = twig ? ['leaf', 'twig'] : ['leaf'];
  const handed = handOut(seen, names, (name) => ({
    description: name,
    prompt: `This is the TASK OF ${name}.`,
    ...(name === 'leaf' ? { run_in_background: true } : {}),
  }));
  if (handed !== undefined) return handed.length > 0 ? handed : `nest waits for ${openOf(seen, names).join(', ')}.`;
  if (!seen.done.has('nest-2')) return [append('nest-2')];
  return 'nest has finished.';
}

function mainReply(seen, plan, append) {
  if (!seen.done.has('main-1'))
    return [{ thinking: 'First the line.' }, plan.padding, append('main-1')].filter(Boolean);
  const forks = Array.from({ length: plan.forks }, (_, index) => `fork-${index + 1}`);
  const names = [...forks, 'helper', 'tree', ...(plan.nested === 'none' ? [] : ['nest'])];
  const handed = handOut(seen, names, (name) => ({
    description: name,
    prompt: `This is the TASK OF ${name}.`,
    ...(name.startsWith('fork-') || (name === 'tree' && plan.tree === 'fork') ? { fork: true } : {}),
    ...(name === 'tree' ? { isolation: 'worktree' } : {}),
    ...((name === 'tree' && plan.tree === 'background') ||
    name === 'helper' ||
    (name === 'nest' && plan.nested === 'background')
      ? { run_in_background: true }
      : {}),
  }));
  if (handed?.length > 0) return ['I hand out what is open.', ...handed];
  if (handed !== undefined) return `I wait for ${openOf(seen, names).join(', ')}.`;
  if (!seen.done.has('main-2')) return [append('main-2')];
  return ALL_DONE;
}

/** Calls that apply what is open; none while it is running, undefined when nothing is open. */
function handOut(seen, names, inputOf) {
  const open = openOf(seen, names);
  return open.length === 0 ? undefined : open.flatMap((name) => takeUp(seen, name, inputOf));
}

/** Not finished, as far as this conversation says, and not told to somebody else. */
function openOf(seen, names) {
  return names.filter(
    (name) => !seen.finished.has(name) && !seen.elsewhere.has(seen.started.get(name)?.agent ?? 'nobody'),
  );
}

function takeUp(seen, name, inputOf) {
  const started = seen.started.get(name);
  if (started?.agent === undefined) return [{ tool: 'Agent', input: inputOf(name) }];
  const { agent } = started;
  // It is running, unless it was said since that it is not.
  const since = seen.written.get(agent) ?? started.at;
  if (!seen.interrupted.some((one) => one.agent === agent && one.at >= since)) return [];
  return [{ tool: 'SendMessage', input: { to: agent, message: `Go on, ${name}.` } }];
}
