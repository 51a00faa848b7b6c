/**
 * The work of a tortured session, as a model that only knows the conversation it receives: it sees finished steps in
 * results and notices, and resumes interrupted ones. Every step appends its own line to a file, so that a repeated step
 * is visible.
 */

export const FIRST_PROMPT = 'Begin the work.';
export const NEXT_PROMPT = 'Go on with the work.';
export const ALL_DONE = 'ALL OF IT IS DONE.';
export const LINES_FILE = 'lines.txt';

/** How many lines a conversation must append, in order. */
const FORK_STEPS = 2;

export function createModel({ forks, sleepMs }) {
  return (request) => {
    const seen = readConversation(request.body.messages);
    const fork = /TASK OF FORK (\d+)/.exec(seen.directive)?.[1];
    if (fork !== undefined) return childReply(seen, `fork-${fork}`, sleepMs);
    if (/TASK OF THE HELPER/.test(seen.directive)) return childReply(seen, 'helper', sleepMs);
    return mainReply(seen, forks, sleepMs);
  };
}

function childReply(seen, name, sleepMs) {
  for (let step = 1; step <= FORK_STEPS; step += 1) {
    const line = `${name}-${step}`;
    if (!seen.done.has(line)) return [{ thinking: `I do ${line} now.` }, append(line, sleepMs)];
  }
  return `${name} has finished.`;
}

function mainReply(seen, forks, sleepMs) {
  if (!seen.done.has('main-1')) return [{ thinking: 'First the line.' }, append('main-1', sleepMs)];
  const names = [...Array.from({ length: forks }, (_, index) => `fork-${index + 1}`), 'helper'];
  const open = names.filter((name) => !seen.text.includes(`${name} has finished.`));
  const calls = open.flatMap((name) => takeUp(seen, name));
  if (calls.length > 0) return ['I hand out what is open.', ...calls];
  if (open.length > 0) return `I wait for ${open.join(', ')}.`;
  if (!seen.done.has('main-2')) return [append('main-2', sleepMs)];
  return ALL_DONE;
}

/** The call that continues open work; none while it is running. */
function takeUp(seen, name) {
  const started = seen.started.get(name);
  if (started === undefined) return [startCall(name)];
  const agent = started.agent;
  if (agent === undefined) return [startCall(name)];
  // It is running, unless the session ended after it was started or messaged.
  const since = seen.written.get(agent) ?? started.at;
  if (!seen.interrupted.some((one) => one.agent === agent && one.at >= since)) return [];
  return [{ tool: 'SendMessage', input: { to: agent, message: `Go on, ${name}.` } }];
}

function startCall(name) {
  const number = /^fork-(\d+)$/.exec(name)?.[1];
  const input =
    number === undefined
      ? { description: name, prompt: 'This is the TASK OF THE HELPER.', run_in_background: true }
      : { description: name, prompt: `This is the TASK OF FORK ${number}.`, fork: true };
  return { tool: 'Agent', input };
}

function append(line, sleepMs) {
  return { tool: 'Bash', input: { command: `sleep ${sleepMs() / 1000}; echo ${line} >> ${LINES_FILE}` } };
}

/** Reads the state of the work from a conversation. For a child, only what follows its directive counts. */
function readConversation(messages) {
  const blocks = messages.flatMap(({ role, content }, at) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({ role, block, at })),
  );
  const directiveAt = blocks.findLastIndex(
    ({ role, block }) => role === 'user' && block.type === 'text' && /This is the TASK OF/.test(block.text),
  );
  const directive = directiveAt < 0 ? '' : blocks[directiveAt].block.text;
  const own = blocks.slice(directiveAt + 1);
  const calls = new Map();
  const seen = {
    directive,
    done: new Set(),
    started: new Map(),
    written: new Map(),
    interrupted: [],
    text: '',
  };
  for (const { role, block, at } of own) {
    if (block.type === 'tool_use') calls.set(block.id, block);
    else if (block.type === 'tool_result') readResult(seen, calls.get(block.tool_use_id), block, at);
    else if (role === 'user' && block.type === 'text') {
      seen.text += `${block.text}\n`;
      for (const [, agent] of block.text.matchAll(/^- (\S+) \([\w-]+\): /gm)) seen.interrupted.push({ agent, at });
      for (const [, agent] of block.text.matchAll(/<task-id>([^<]+)<\/task-id>[\s\S]*?<status>(?:failed|stopped)/g)) {
        seen.interrupted.push({ agent, at });
      }
    }
  }
  return seen;
}

function readResult(seen, call, block, at) {
  const text =
    typeof block.content === 'string' ? block.content : block.content.map((one) => one.text ?? '').join('\n');
  const isError = block.is_error === true;
  if (call?.name === 'Bash') {
    const line = /echo (\S+) >>/.exec(call.input.command)?.[1];
    if (!isError && line) seen.done.add(line);
  }
  if (call?.name === 'SendMessage' && !isError) seen.written.set(call.input.to, at);
  if (call?.name !== 'Agent') return;
  seen.text += `${text}\n`;
  const name = call.input.description;
  const agent = /(?:agentId: |[Tt]he agent |as agent )([\w-]+)/.exec(text)?.[1];
  const known = seen.started.get(name);
  const isAgent = agent !== undefined && agent !== 'failed' && !text.startsWith('Never started');
  if (isAgent) seen.started.set(name, { agent, at });
  else if (known === undefined) seen.started.set(name, { agent: undefined, at });
  if (isAgent && isError) seen.interrupted.push({ agent, at });
}
