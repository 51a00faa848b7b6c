/** What a conversation says about the work: what is done, who was started, who was interrupted. */

const TASK = /This is the TASK OF/;

/** For a child, only what follows its task applies, or what a summary kept of it. */
export function readConversation(messages) {
  const blocks = messages.flatMap(({ role, content }, at) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({ role, block, at })),
  );
  const directiveAt = blocks.findLastIndex(
    ({ role, block }) => role === 'user' && block.type === 'text' && TASK.test(block.text),
  );
  const directive = directiveAt < 0 ? '' : /This is the TASK OF \S+\./.exec(blocks[directiveAt].block.text)?.[0];
  const seen = {
    directive: directive ?? '',
    asksForSummary: blocks.at(-1)?.block.text?.startsWith('<compaction>') ?? false,
    done: new Set(),
    finished: new Set(),
    started: new Map(),
    written: new Map(),
    interrupted: [],
    /** Agents whose end was reported to another agent. */
    elsewhere: new Set(),
  };
  const calls = new Map();
  for (const { role, block, at } of blocks.slice(Math.max(0, directiveAt))) {
    if (block.type === 'tool_use') calls.set(block.id, block);
    else if (block.type === 'tool_result') readResult(seen, calls.get(block.tool_use_id), block, at);
    else if (role === 'user' && block.type === 'text') readText(seen, block.text, at);
  }
  return seen;
}

function readText(seen, text, at) {
  const kept = /^STATE (.*)$/m.exec(text)?.[1];
  if (kept !== undefined) takeOver(seen, JSON.parse(kept));
  readFinished(seen, text);
  for (const [, agent] of text.matchAll(/^- (\S+) \([\w-]+\): /gm)) seen.interrupted.push({ agent, at });
  for (const [, agent] of text.matchAll(/The agent (\S+) \([^)]*\) was interrupted before/g)) {
    seen.interrupted.push({ agent, at });
  }
  for (const [, agent] of text.matchAll(/The agent (\S+) \([^)]*\) has ended while/g)) seen.elsewhere.add(agent);
  for (const notice of text.split('<task-notification>').slice(1)) {
    const agent = /<task-id>([^<]+)</.exec(notice)?.[1];
    // Ended without having finished: somebody must tell it to continue.
    if (agent !== undefined && !/ has finished\./.test(notice)) seen.interrupted.push({ agent, at });
  }
}

function readFinished(seen, text) {
  for (const [, name] of text.matchAll(/([\w-]+) has finished\./g)) seen.finished.add(name);
}

function readResult(seen, call, block, at) {
  const text =
    typeof block.content === 'string' ? block.content : block.content.map((one) => one.text ?? '').join('\n');
  const isError = block.is_error === true;
  if (call?.name === 'Bash') {
    const line = /echo ([\w-]+)\./.exec(call.input.command)?.[1];
    if (!isError && line) seen.done.add(line);
  }
  if (call?.name === 'SendMessage' && !isError) seen.written.set(call.input.to, at);
  if (call?.name !== 'Agent') return;
  readFinished(seen, text);
  const name = call.input.description;
  const [, ...ids] = /agentId: ([\w-]+)|as agent ([\w-]+)|[Tt]he agent (?!failed)([\w-]+)/.exec(text) ?? [];
  const agent = ids.find((id) => id !== undefined);
  if (agent !== undefined && !text.startsWith('Never started')) seen.started.set(name, { agent, at });
  else if (!seen.started.has(name)) seen.started.set(name, { agent: undefined, at });
  // A call that waited for it has returned: it is not at work any more.
  const isOver = isError || (text.includes('agentId: ') && !seen.finished.has(name));
  if (agent !== undefined && isOver) seen.interrupted.push({ agent, at });
}

/** A summary that keeps all of it: who reads it continues from here. */
export function summarise(seen) {
  const isOpen = ({ agent, at }) => {
    const started = [...seen.started.values()].find((one) => one.agent === agent);
    return at >= (seen.written.get(agent) ?? started?.at ?? 0);
  };
  const state = {
    done: [...seen.done],
    finished: [...seen.finished],
    started: [...seen.started].map(([name, { agent }]) => [name, agent]),
    interrupted: seen.interrupted.filter(isOpen).map(({ agent }) => agent),
    elsewhere: [...seen.elsewhere],
  };
  return `${seen.directive}\nSTATE ${JSON.stringify(state)}`;
}

function takeOver(seen, state) {
  for (const line of state.done) seen.done.add(line);
  for (const name of state.finished) seen.finished.add(name);
  for (const [name, agent] of state.started) seen.started.set(name, { agent, at: -1 });
  for (const agent of state.interrupted) seen.interrupted.push({ agent, at: -1 });
  for (const agent of state.elsewhere) seen.elsewhere.add(agent);
}
