/** `/fork`, `/btw`, `/branch`, `/context`, `/compact`, `/clear` and `/background`: each a command of the engine, and what it came to. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { exactMoney } from '../../../protocol/format-numbers.js';
import { findTask } from '../agents/tasks-command.js';
import type { CommandContext } from '../command-context.js';
import { describeMoved, NOTHING_TO_MOVE } from '../moved-agents.js';
import { sayLines } from '../say-lines.js';

/** Where forks are switched off, it is another name for `/branch`. */
export async function fork(context: CommandContext, words: string): Promise<void> {
  const { session, say } = context;
  if (!session.canFork) {
    say('Forks are switched off here: this branches the session instead.');
    return branch(context, '');
  }
  const apart = /^--worktree(?=\s|$)/.exec(words)?.[0] ?? '';
  const directive = words.slice(apart.length).trim();
  if (directive === '') return say('Say what the fork should do: /fork try it with a queue instead');
  const isolation = apart === '' ? {} : { isolation: 'worktree' as const };
  const forked = await session.execute({ type: 'fork', directive, background: true, ...isolation });
  if (forked.status === 'async_launched') {
    return say(`Forked as ${stripControls(forked.agentId)}; a notice brings its result, /tasks shows how it stands.`);
  }
  say(`Nothing was forked: ${stripControls(forked.status === 'failed' ? forked.line : forked.content)}`);
}

export async function branch({ session, say, switchTo }: CommandContext, name: string): Promise<void> {
  const given = name.trim().replace(/\s+/g, '-');
  const branched = await session.execute({ type: 'branch', ...(given === '' ? {} : { name: given }) });
  if (!branched.ok) return say(`Nothing was branched: ${stripControls(branched.reason)}`);
  const reason = await switchTo(branched.session, 'copy');
  if (reason === undefined) return say(`The session you come from stays as it is: coppice --resume ${session.id}`);
  say(`The copy is there (coppice --resume ${branched.session}), but can't be opened now: ${stripControls(reason)}`);
}

export async function showContext({ session, say }: CommandContext): Promise<void> {
  const { describeContext } = await import('../../view/describe/describe-context.js');
  const found = await session.execute({ type: 'context' });
  sayLines(say, found.ok ? describeContext(found.context) : [found.reason]);
}

export async function compact({ session, say, work }: CommandContext, instructions: string): Promise<void> {
  const compacting = session.execute({ type: 'compact', ...(instructions === '' ? {} : { instructions }) });
  const done = await work(compacting);
  if (!done.ok) say(`Nothing was compacted: ${stripControls(done.reason)}`);
}

export async function clear({ session, say, work }: CommandContext): Promise<void> {
  const done = await work(session.execute({ type: 'clear' }));
  if (!done.ok) say(`Nothing was cleared: ${stripControls(done.reason)}`);
}

export async function moveToBackground({ session, say }: CommandContext, wanted: string): Promise<void> {
  const agent = wanted === '' ? '' : findTask(session, wanted);
  const { moved } = await session.execute({ type: 'to-background', ...(agent === '' ? {} : { agent }) });
  if (moved > 0) return say(describeMoved(moved));
  say(agent === '' ? NOTHING_TO_MOVE : `No agent ${stripControls(agent)} is waited for; /tasks lists them.`);
}

/** A fork without tools answers; what was asked and said stays out of the conversation. */
export async function askAside({ session, say, work }: CommandContext, question: string): Promise<void> {
  if (question === '') return say('Say what you want to know: /btw which file has the routes?');
  const before = new Set(session.snapshot().map(({ id }) => id));
  const cancel = () => {
    const asked = session.snapshot().find(({ id, status }) => !before.has(id) && status === 'running');
    void session.execute({ type: 'interrupt', ...(asked === undefined ? {} : { agent: asked.id }) });
  };
  const answered = await work(session.execute({ type: 'ask-aside', question }), cancel);
  if (!answered.ok) return say(`Nothing was answered: ${stripControls(answered.reason)}`);
  say(stripControls(answered.text));
  const cost = answered.costUsd === undefined ? '' : `${exactMoney(answered.costUsd)}; `;
  say(`(${cost}the conversation does not have this)`);
}
