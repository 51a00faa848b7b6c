/** `/queue`: numbers the queued messages and commands, takes one back, sends held ones (TU-22). */

import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'view' | 'say' | 'waiting'>;

const USE = 'Use /queue, /queue take N, or /queue send.';

export async function runQueue(context: Context, argument: string): Promise<void> {
  const { say, session } = context;
  const [verb = '', number, ...more] = argument.split(/\s+/).filter(Boolean);
  if (verb === '') return list(context);
  if (verb === 'take' && number !== undefined && more.length === 0) return take(context, Number(number));
  if (verb !== 'send' || number !== undefined) return say(USE);
  const sent = await session.execute({ type: 'send-held' });
  if (!sent.ok) return say(stripControls(sent.reason));
  say(sent.sent === 0 ? 'No held messages.' : `Sent ${plural(sent.sent, 'message')}.`);
}

type Waiting =
  | {
      readonly kind: 'message';
      readonly agent: string;
      readonly seq: number;
      readonly text: string;
      readonly note: string;
    }
  | { readonly kind: 'command'; readonly place: number; readonly text: string; readonly note: string };

/** Messages first, starting with the main agent's; then commands. */
function waiting({ view, waiting: commands }: Context): readonly Waiting[] {
  const agents = [...view.agents.values()].sort((a, b) => Number(b.id === MAIN_AGENT) - Number(a.id === MAIN_AGENT));
  return [
    ...agents.flatMap(({ id, name, queue }) =>
      queue.map(({ seq, blocks, held }): Waiting => {
        const texts = blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
        const to = id === MAIN_AGENT ? '' : `to ${name ?? id}, `;
        return {
          kind: 'message',
          agent: id,
          seq,
          text: texts[0] ?? '(no text)',
          note: `${to}${held ? 'held until the turn ends' : 'read at the next step'}`,
        };
      }),
    ),
    ...(commands ?? []).map((text, place): Waiting => {
      return { kind: 'command', place, text, note: 'runs when the turn ends' };
    }),
  ];
}

function list(context: Context): void {
  const rows = waiting(context);
  for (const [index, { text, note }] of rows.entries()) {
    context.say(`  ${index + 1}  ${stripToLine(text).slice(0, 100).toWellFormed()}  (${stripToLine(note)})`);
  }
  context.say(rows.length === 0 ? 'The queue is empty.' : '/queue take N takes one back.');
}

async function take(context: Context, number: number): Promise<void> {
  const { session, say } = context;
  const wanted = waiting(context)[number - 1];
  if (wanted === undefined) return say('No such number. /queue lists the queue.');
  if (wanted.kind === 'command') {
    const taken = context.waiting?.splice(wanted.place, 1)[0];
    return say(taken === undefined ? 'Too late: it has started.' : `Taken back: ${stripToLine(taken)}`);
  }
  const { seq: input, agent } = wanted;
  const taken = await session.execute({ type: 'take-back', input, ...(agent === MAIN_AGENT ? {} : { agent }) });
  if (!taken.ok) return say(`Can't take it back: ${stripControls(taken.reason)}`);
  const text = taken.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  say(`Taken back: ${stripControls(text)}`);
}
