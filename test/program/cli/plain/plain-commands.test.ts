/** The commands of a line-based session: over pipes where lines are enough, at a real terminal where keys are pressed. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { agentCall } from '../../../support/agent-call.js';
import { type Gate, gate, onceOpen } from '../../../support/gate.js';
import { count, type PlainStage, setPlainStage } from './plain-stage.js';

/** What the model was sent in its n-th request, without its prefix. */
const messages = (stage: PlainStage, n: number) => JSON.stringify(stage.sim.requests.at(n)?.body.messages);

/** A second turn is running; it ends when `turn` opens. */
async function setAtWork(turn: Gate, rules: readonly Rule[]) {
  const stage = await setPlainStage([
    ...rules,
    { when: { user: 'slowly' }, reply: onceOpen(turn, 'The turn is over.') },
    { reply: 'Hello.' },
  ]);
  const screen = stage.screen(['--plain', 'hello']);
  await screen.until(/Hello\.\n> $/m);
  screen.type('slowly\r');
  await stage.sim.received(2);
  return { stage, screen };
}

describe('forks and branches', () => {
  it('FK-24: /fork starts one in the background while a turn is running; a notice has its result', async () => {
    const [turn, forked] = [gate(), gate()];
    const { stage, screen } = await setAtWork(turn, [
      { when: { user: '<task-notification>' }, reply: 'The fork has told me.' },
      { when: { user: 'the other way' }, reply: onceOpen(forked, 'from the fork') },
    ]);
    screen.type('/fork try it the other way\r');
    await screen.until(/Forked as \w+\. You'll be notified when it finishes/);
    await stage.sim.received(3);
    expect(messages(stage, 2)).toContain('Hello.');
    turn.open();
    await screen.until(/The turn is over\.\n> $/m);
    forked.open();
    await screen.until(/The fork has told me\.\n> $/m);
    expect(messages(stage, -1)).toContain('from the fork');
  });

  it('FK-24: /fork reports what is missing: text, or something to fork from', async () => {
    const stage = await setPlainStage([]);
    const plain = stage.pipe();
    for (const line of ['/fork', '/fork do it']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Add a task for the fork');
    expect(plain.stdout()).toContain('Fork failed: the conversation is empty: send a prompt first');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('FK-24: /branch copies the session and continues in the copy, under the name given', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe(['--plain', '--model', 'haiku']);
    for (const line of ['/branch early', 'common words', '/model sonnet', '/mode plan', '/branch other way'])
      plain.say(line);
    for (const line of ['only there', '/status', '/branch other-way']) plain.say(line);
    expect(await plain.end()).toBe(0);
    const [, first = ''] = /is unchanged: coppice --resume (\S+)\n/.exec(plain.stdout()) ?? [];
    expect(plain.stdout()).toContain('Branch failed: the conversation is empty');
    expect(plain.stdout()).toContain('Resumed session other-way (1 prompt so far).\n  > common words\n  Hello.\n');
    expect(plain.stdout()).toContain('Session other-way in ');
    expect(plain.stdout()).toContain('model claude-sonnet-5-5, mode plan');
    expect(plain.stdout()).toContain('Branch failed: session other-way already exists');
    expect(plain.stdout()).toContain('To resume: coppice --resume other-way\n');
    const old = stage.pipe(['--plain', '--resume', first]);
    old.say('only here');
    expect(await old.end()).toBe(0);
    expect(messages(stage, 1)).toContain('common words');
    expect(messages(stage, 2)).toContain('common words');
    expect(messages(stage, 2)).not.toContain('only there');
  });

  it('FK-24: where forks are switched off, /fork is another name for /branch', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe(['--plain', '--fork', 'off', 'hello']);
    plain.say('/fork do it');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(/Forks are turned off here[\s\S]*Resumed session \S+ \(1 prompt so far\)/);
  });
});

describe('the conversation', () => {
  it('LC-24: /compact replaces it by a summary, with the text given; refused with a reason', async () => {
    const stage = await setPlainStage([
      { when: { user: '<compaction>' }, reply: 'the summary of it' },
      { reply: 'Hello.' },
    ]);
    const plain = stage.pipe();
    for (const line of ['/compact', 'one', 'two', '/compact keep the names', 'three']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Not compacted: the conversation is empty');
    expect(plain.stdout()).toMatch(
      /\(Compacting the conversation; Ctrl\+C stops it\)\n\(Compacted the conversation. The full text stays in the transcript.\)/,
    );
    expect(count(plain.stdout(), 'Compacting')).toBe(1);
    expect(messages(stage, 2)).toContain('keep the names');
    expect(messages(stage, 3)).toContain('the summary of it');
    expect(messages(stage, 3)).not.toContain('"one"');
  });

  it('TU-21: /compact while the agent works waits for the end of the turn; /queue lists it, and can take it back', async () => {
    const turn = gate();
    const { screen, stage } = await setAtWork(turn, [{ when: { user: '<compaction>' }, reply: 'the summary of it' }]);
    screen.type('/clear\r');
    await screen.until('(/clear is queued until the turn ends; /queue lists the queue)');
    screen.type('/compact\r');
    await screen.until('(/compact is queued until the turn ends; /queue lists the queue)');
    screen.type('/queue\r');
    await screen.until(/ {2}1 {2}\/clear .*\n {2}2 {2}\/compact /);
    screen.type('/queue take 1\r');
    await screen.until('Taken back: /clear');
    expect(screen.text()).not.toContain('summarising');
    expect(stage.sim.requests).toHaveLength(2);
    turn.open();
    await screen.until(
      /The turn is over\.\n\(Compacting the conversation; Ctrl\+C stops it\)\n\(Compacted the conversation/,
    );
    expect(screen.text()).not.toContain('begins again');
  });

  it('LC-24: Ctrl+C stops a compaction, and the conversation is as it was', async () => {
    const stage = await setPlainStage([
      { when: { user: '<compaction>' }, reply: 'never ends', fault: { kind: 'silence', at: 2 } },
      { reply: 'Hello.' },
    ]);
    const screen = stage.screen(['--plain', 'one']);
    await screen.until(/Hello\.\n> $/m);
    screen.type('two\r');
    await screen.until(/> two\nHello\.\n> $/m);
    screen.type('/compact\r');
    await stage.sim.received(3);
    screen.type('\u0003');
    await screen.until(/Not compacted: it was interrupted\n> $/m);
    screen.type('three\r');
    await screen.until(/> three\nHello\.\n> $/m);
    expect(messages(stage, 3)).toMatch(/"one"[\s\S]*"two"[\s\S]*"three"/);
  });

  it('FK-25: /clear starts it again, in the same session', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe();
    for (const line of ['/clear', 'one', '/clear', 'two']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Not cleared: the conversation is empty');
    expect(plain.stdout()).toContain('(Conversation cleared. Earlier messages stay in the transcript.)');
    expect(messages(stage, 1)).toContain('"two"');
    expect(messages(stage, 1)).not.toContain('"one"');
  });
});

/** The main agent waits for a child that works until it is let go. */
const waitsFor = (held: ReturnType<typeof gate>): Rule[] => [
  { when: { user: '<task-notification>' }, reply: 'The child has told me.' },
  { when: { said: 'CHILD', result: { tool: 'Bash' } }, reply: 'child is done' },
  { when: { user: 'CHILD' }, reply: onceOpen(held, [{ tool: 'Bash', input: { command: 'touch made' } }]) },
  { when: { result: { tool: 'Agent' } }, reply: 'I go on without it.' },
  { when: { user: 'delegate' }, reply: [agentCall('CHILD', { name: 'wren', description: 'touch it' })] },
  { reply: 'Hello.' },
];

describe('agents', () => {
  it.each([
    ['Ctrl+B', '\u0002'],
    ['/background', '/background\r'],
  ])('LC-3: %s moves an agent that is waited for to the background; the same run continues', async (_, keys) => {
    const held = gate();
    const stage = await setPlainStage(waitsFor(held));
    await stage.settings({ subagents: { allowEdits: true } });
    const screen = stage.screen(['--plain', '--fork', 'off', 'delegate']);
    await stage.sim.received(2);
    screen.type(keys);
    await screen.until("Moved 1 task to the background. You'll be notified when it finishes.");
    await screen.until(/I go on without it\.\n> $/m);
    screen.type('/background\r');
    await screen.until('Nothing to move to the background.');
    screen.type('/tasks\r');
    await screen.until(/running {2}wren \(general-purpose\): touch it/);
    held.open();
    await screen.until(/The child has told me\.\n> $/m);
    const ofChild = stage.sim.requests.filter(({ body }) => JSON.stringify(body.messages[0]).includes('CHILD'));
    expect(ofChild).toHaveLength(2);
  });

  it('LC-20: /tasks shows all that is known of each agent, also while its question waits', async () => {
    const held = gate();
    const stage = await setPlainStage(waitsFor(held));
    await stage.settings({ subagents: { allowEdits: false } });
    const screen = stage.screen(['--plain', '--fork', 'off', 'delegate']);
    await stage.sim.received(2);
    screen.type('\u0002');
    await screen.until(/I go on without it\.\n> $/m);
    held.open();
    await screen.until(/The agent wren \(general-purpose, \w+\) asks to use Bash[\s\S]*\n\? $/m);
    screen.type('/tasks\r');
    await screen.until(/asking for permission: Bash: touch made\n[\s\S]*\n\? $/m);
    expect(screen.text()).toMatch(
      / {2}\w+ {2}running {2}wren \(general-purpose\): touch it\n {4}Bash: touch made \(\d+s\) · \d+s · 1 turn · [\d,]+ tokens in \(\d+% from cache\), \d+ out · <?\$\d+\.\d+ · depth 1\n/,
    );
    screen.type('y\r');
    await screen.until(/The child has told me\.\n> $/m);
    screen.type('/tasks stop wren\r');
    await screen.until(/\w+ is not running: it is completed\./);
    expect(await stage.read('made')).toBe('');
  });
});

describe('messages are true', () => {
  it('SF-8: /model changes the model from the next prompt on, and warns of one it does not know', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe();
    for (const line of ['one', '/model sonnet', '/model', 'two', '/model sonet', '/model sonnet', '/mode plan'])
      plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(stage.sim.requests.map(({ body }) => body.model)).toEqual(['claude-opus-5-5', 'claude-sonnet-5-5']);
    expect(plain.stdout()).toContain('model: claude-sonnet-5-5\nclaude-sonnet-5-5 (aliases: ');
    expect(plain.stdout()).toContain(
      'Unknown model sonet: it is used as given, and its cost is unknown. Did you mean /model sonnet?',
    );
    expect(count(plain.stdout(), 'mode: plan\n')).toBe(1);
  });

  it('DU-23: /rewind reports what happened to files, and what it does not take back', async () => {
    const stage = await setPlainStage([
      { when: { result: { tool: 'Write' } }, reply: 'Written.' },
      { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'a' } }] },
      { reply: 'Hello.' },
    ]);
    const plain = stage.pipe(['--plain', '--permission-mode', 'acceptEdits']);
    for (const line of ['write', '/rewind 1 files', '/rewind 1 files', '/rewind 1 neither', '/rewind 1 both'])
      plain.say(line);
    for (const line of ['hello', '/rewind 1 conversation', '/rewind 1']) plain.say(line);
    expect(await plain.end()).toBe(0);
    const shown = plain.stdout();
    expect(shown).toContain(`Rewound files to before "write".\n  removed ${stage.folder}/a.txt\n`);
    expect(shown).toContain('Rewound files to before "write".\nNo files to restore');
    expect(shown).toContain('"neither" is not one of both, conversation, files. Nothing was changed.');
    expect(shown).toContain('Rewound the conversation to before "hello".\nFiles were not changed.');
    expect(shown).toContain('No prompt to rewind to yet.');
  });

  it('DU-12 TU-29: leaving asks about running agents, shows how to continue, what was interrupted, and never that nothing was saved when something was', async () => {
    const held = gate();
    const stage = await setPlainStage(waitsFor(held));
    const screen = stage.screen(['--plain', '--fork', 'off', '--permission-mode', 'acceptEdits', 'delegate']);
    await stage.sim.received(2);
    screen.type('\u0002');
    await screen.until(/I go on without it\.\nacceptEdits > $/m);
    screen.type('/exit\r');
    await screen.until(/1 running task will be interrupted; you can resume it later\. Leave\? \(y\/n\)\n\? $/m);
    screen.type('n\r');
    await screen.until('Not leaving.');
    screen.type('/exit\r');
    await screen.until(/Leave\? \(y\/n\)[\s\S]*Leave\? \(y\/n\)\n\? $/m);
    screen.type('y\r');
    await screen.ended;
    const [, id = ''] = /To resume: coppice --resume (\S+)/.exec(screen.text()) ?? [];
    expect(screen.text()).toMatch(/Interrupted; you can resume them there \(\/tasks\): wren \(\w+\)\n/);
    const again = stage.pipe(['--plain', '--resume', id]);
    expect(await again.end()).toBe(0);
    expect(again.stdout()).toContain(`Resumed session ${id} (1 prompt so far).\n  > delegate\n  I go on without it.\n`);
    expect(again.stdout()).toMatch(
      /1 agent was interrupted; \/tasks resume ID continues one:\n {2}\w+ {2}wren: touch it\n/,
    );
    expect(again.stdout()).not.toContain('nothing was saved');
    expect(again.stdout()).toContain(`To resume: coppice --resume ${id}\n`);
  });

  it('DU-12: after a kill the banner shows that it was cut off, and what to do', async () => {
    const stage = await setPlainStage([
      { when: { user: /^go\b/m }, reply: 'Half a', fault: { kind: 'silence', at: 3 } },
    ]);
    const plain = stage.pipe(['--plain', 'go']);
    await stage.sim.received(1);
    plain.child.kill('SIGKILL');
    await plain.ended;
    const again = stage.pipe(['--plain', '--continue']);
    expect(await again.end()).toBe(0);
    expect(again.stdout()).toMatch(/ {2}> go\nThe last run was cut off\. Type "continue"/);
  });
});
