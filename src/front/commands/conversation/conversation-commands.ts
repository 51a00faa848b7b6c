/**
 * `/fork`, `/btw`, `/branch`, `/context`, `/compact`, `/clear` and `/background`: each runs an engine command and prints
 * its result. `/init`: sends a built-in prompt that writes the project's instructions for agents.
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { exactMoney } from '../../../protocol/format-numbers.js';
import { findTask } from '../agents/agent-commands.js';
import { type CommandContext, sayLines } from '../command-context.js';
import { describeMoved, NOTHING_TO_MOVE } from '../moved-agents.js';

/** Forks the conversation; where forks are turned off, branches the session instead. */
export async function fork(context: CommandContext, argument: string): Promise<void> {
  const { session, say } = context;
  if (!session.canFork) {
    say('Forks are turned off here; branching the session instead.');
    return branch(context, '');
  }
  const flag = /^--worktree(?=\s|$)/.exec(argument)?.[0] ?? '';
  const directive = argument.slice(flag.length).trim();
  if (directive === '') return say('Add a task for the fork: /fork try it with a queue instead');
  const isolation = flag === '' ? {} : { isolation: 'worktree' as const };
  const forked = await session.execute({ type: 'fork', directive, background: true, ...isolation });
  if (forked.status === 'async_launched') {
    return say(
      `Forked as ${stripControls(forked.agentId)}. You'll be notified when it finishes; /tasks shows its status.`,
    );
  }
  say(`Fork failed: ${stripControls(forked.status === 'failed' ? forked.line : forked.content)}`);
}

export async function branch({ session, say, switchTo }: CommandContext, name: string): Promise<void> {
  const given = name.trim().replace(/\s+/g, '-');
  const branched = await session.execute({ type: 'branch', ...(given === '' ? {} : { name: given }) });
  if (!branched.ok) return say(`Branch failed: ${stripControls(branched.reason)}`);
  const reason = await switchTo(branched.session, 'copy');
  if (reason === undefined) return say(`The original session is unchanged: coppice --resume ${session.id}`);
  say(`The copy was created (coppice --resume ${branched.session}), but can't be opened now: ${stripControls(reason)}`);
}

export async function showContext({ session, say }: CommandContext): Promise<void> {
  const { describeContext } = await import('../../view/describe/describe-context.js');
  const found = await session.execute({ type: 'context' });
  sayLines(say, found.ok ? describeContext(found.context) : [found.reason]);
}

export async function compact({ session, say, work }: CommandContext, instructions: string): Promise<void> {
  const compacting = session.execute({ type: 'compact', ...(instructions === '' ? {} : { instructions }) });
  const done = await work(compacting);
  if (!done.ok) say(`Not compacted: ${stripControls(done.reason)}`);
}

export async function clear({ session, say, work }: CommandContext): Promise<void> {
  const done = await work(session.execute({ type: 'clear' }));
  if (!done.ok) say(`Not cleared: ${stripControls(done.reason)}`);
}

export async function moveToBackground({ session, say }: CommandContext, wanted: string): Promise<void> {
  const agent = wanted === '' ? '' : findTask(session, wanted);
  const { moved } = await session.execute({ type: 'to-background', ...(agent === '' ? {} : { agent }) });
  if (moved > 0) return say(describeMoved(moved));
  say(
    agent === '' ? NOTHING_TO_MOVE : `No agent ${stripControls(agent)} to move to the background; /tasks lists agents.`,
  );
}

/** Asks a fork without tools; question and answer stay out of the conversation. */
export async function askAside({ session, say, work }: CommandContext, question: string): Promise<void> {
  if (question === '') return say('Add a question: /btw which file has the routes?');
  const before = new Set(session.snapshot().map(({ id }) => id));
  const cancel = () => {
    const asked = session.snapshot().find(({ id, status }) => !before.has(id) && status === 'running');
    void session.execute({ type: 'interrupt', ...(asked === undefined ? {} : { agent: asked.id }) });
  };
  const answered = await work(session.execute({ type: 'ask-aside', question }), cancel);
  if (!answered.ok) return say(`No answer: ${stripControls(answered.reason)}`);
  say(stripControls(answered.text));
  const cost = answered.costUsd === undefined ? '' : `${exactMoney(answered.costUsd)}; `;
  say(`(${cost}not part of the conversation)`);
}

export async function startInit({ send }: CommandContext, text: string): Promise<void> {
  await send(text === '' ? INIT_PROMPT : `${INIT_PROMPT}\nThe person adds: ${text}`);
}

const INIT_PROMPT = `Write instructions for coding agents that work in this project, into the file AGENTS.md at the top of the repository. If there is a CLAUDE.md or an AGENTS.md already, improve that file instead of writing another: keep what is right, correct what is wrong, and say what you changed.

Look before you write: the README, the manifest of packages, scripts and continuous integration, the tests, the main folders, and rules for other agents (.cursor/rules, .cursorrules, .github/copilot-instructions.md). Run nothing that changes the project.

Put in it only what an agent can't see quickly by itself and will need often:
- The commands to build, check and test, and how to run a single test, as they really are. Try those that are quick and harmless.
- How the code is put together, as far as several files have to be read to understand it: the main parts, what depends on what, where a new thing goes.
- Rules of the house that are visible in the code or written down: style, names, errors, tests, commits.
- What is dangerous or surprising here.

Leave out general advice, lists of all files, and what you did not find. Write short, plain sentences; one page is enough. Begin with a heading that names the project.
`;
