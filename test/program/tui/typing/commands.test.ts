/** Every command at a real terminal: it shows or does something, and a wrong argument gets a line with help (TU-21). */

import { expect, test } from 'vitest';
import { until } from '../../../support/until.js';
import { count, setTerminalStage, type TestTerminal } from '../terminal-stage.js';
import { untilEdited, untilOpen } from '../until-open.js';

/** The typed text, and the expected result on the screen. */
type Shown = readonly (readonly [line: string, wanted: string | RegExp])[];

async function showAll(terminal: TestTerminal, shown: Shown): Promise<void> {
  for (const [line, wanted] of shown) {
    await untilEdited(terminal, '');
    terminal.type(line);
    terminal.press('enter');
    await terminal.until(wanted, `${line} shows ${wanted}`);
  }
}

async function openTold(rules: Parameters<typeof setTerminalStage>[0] = [{ reply: 'ANSWERED.' }]) {
  const stage = await setTerminalStage(rules);
  const terminal = stage.open(['--trust'], { rows: 40 });
  await untilOpen(terminal);
  terminal.type('hello');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  return { stage, terminal };
}

test('TU-21: commands about the session and its settings', async () => {
  const { terminal } = await openTold();
  await showAll(terminal, [
    ['/help', /\/btw QUESTION +ask a side question/],
    ['/status', 'main agent:'],
    ['/config', 'In use: model'],
    ['/config nosuchword', 'No setting with nosuchword in its name is set'],
    ['/mode', 'default (available:'],
    ['/mode nonsense', /nonsense.*(?:default|acceptEdits)|(?:default|acceptEdits).*nonsense/],
    ['/permissions', 'Deny overrides ask; ask overrides allow.'],
    ['/permissions allow', 'Use /permissions, /permissions allow RULE'],
    ['/permissions allow Bash(npm test:*)', 'Added to the local settings: allow'],
    ['/permissions remove Edit(x)', 'No rule Edit(x) in the local settings'],
    ['/memory', /memory|noted|notes/i],
    ['/memory frobnicate', /Use \/memory|\/memory show/],
    ['/mcp', /MCP|server/],
    ['/mcp frobnicate', /Use \/mcp/],
    ['/skills', /skill/i],
    ['/rename', 'No name yet'],
    ['/rename my-garden', 'name: my-garden'],
    ['/theme nosuch', 'Unknown theme nosuch'],
    ['/theme dark', 'theme: dark'],
    ['/model nosuchmodel', 'Unknown model nosuchmodel'],
    ['/model sonnet', /model: claude-sonnet/],
    ['/plan', 'Describe what to plan'],
    ['/mode default', 'mode: default'],
    ['/doctor', /node.*\d+\./i],
  ]);
});

test('TU-21: commands about the conversation and its agents', async () => {
  const { stage, terminal } = await openTold();
  await showAll(terminal, [
    ['/agents', 'general-purpose'],
    ['/tasks frobnicate', 'Use /tasks, /tasks all'],
    ['/tasks stop nobody', "Can't stop nobody"],
    ['/tasks write nobody hello', 'Not sent:'],
    ['/fork', 'Add a task for the fork'],
    ['/btw', 'Add a question'],
    ['/worktrees', 'is not in a git repository'],
    ['/worktrees frobnicate', 'Use /worktrees, /worktrees remove NAME'],
    ['/apply', 'Name an agent: /apply AGENT'],
    ['/apply nobody', /nobody|is not in a git repository[\s\S]*is not in a git repository/],
    ['/background', /Nothing|no agent/i],
    ['/background nobody', 'No agent nobody to move'],
    ['/queue', 'The queue is empty.'],
    ['/queue frobnicate', 'Use /queue'],
    ['/context', /tokens|%/],
    ['/cost', 'by model:'],
    ['/cache', /cache/],
    ['/copy 99', /99|reply|replies/],
    ['/copy', /copied|sent to the terminal/i],
    ['/export out.md', /Written to .*out\.md/],
  ]);
  expect(await stage.read('out.md')).toContain('ANSWERED.');
  // A question in between: typed at once, it is answered, and not sent to the model.
  terminal.type('/export out.md');
  terminal.press('enter');
  await terminal.until('Overwrite it? (y/n)');
  terminal.type('n');
  terminal.press('enter');
  await terminal.until('Nothing written.');
  terminal.type('/diff');
  terminal.press('enter');
  await terminal.untilSeen(/not a git|repository|no changes/i);
  terminal.type('/clear');
  terminal.press('enter');
  await terminal.until('Conversation cleared');
  expect(stage.sim.requests).toHaveLength(1);
  terminal.type('/exit');
  terminal.press('enter');
  expect(await terminal.ended).toBe(0);
});

test('TU-21: commands with pages open and close again', async () => {
  const { terminal } = await openTold();
  for (const [line, title] of [
    ['/tasks', /agents|nothing/i],
    ['/model', 'Model (current:'],
    ['/theme', 'Theme (current:'],
    ['/rewind', 'Rewind to before which prompt?'],
    ['/resume', 'Resume a session'],
  ] as const) {
    await untilEdited(terminal, '');
    terminal.type(line);
    terminal.press('enter');
    await terminal.until(() => terminal.terminal.buffer.active.type === 'alternate', `${line} opens a page`);
    await terminal.untilSeen(title);
    terminal.press('esc');
    await terminal.until(() => terminal.terminal.buffer.active.type === 'normal', `${line} is closed`);
  }
  expect(count(terminal.lines(), 'ANSWERED.')).toBe(1);
});

test('TU-21: /compact, /init and /clear act on the conversation', async () => {
  const { stage, terminal } = await openTold([
    { when: { user: /summar/i }, reply: 'A SUMMARY.' },
    { when: { user: 'Write instructions for coding agents' }, reply: 'AGENTS.md IS THERE.' },
    { reply: 'ANSWERED.' },
  ]);
  terminal.type('/compact keep the names');
  terminal.press('enter');
  await terminal.until(/Compacted the|Not compacted/);
  terminal.type('/init and mention the moss');
  terminal.press('enter');
  await terminal.until('AGENTS.md IS THERE.');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages.at(-1))).toContain('mention the moss');
});

test('TU-21: during a turn commands that only show something run at once, others wait for its end, and can be taken back', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await setTerminalStage([
    {
      when: { nth: 1 },
      reply: async () => {
        await held;
        return 'ANSWERED.';
      },
    },
    { reply: 'AGAIN.' },
  ]);
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('work');
  terminal.press('enter');
  await until(() => stage.sim.requests.length === 1, 'it works');
  terminal.type('/status');
  terminal.press('enter');
  await terminal.until('main agent: running');
  terminal.type('/clear');
  terminal.press('enter');
  await terminal.untilSeen('after this turn: /clear');
  terminal.type('/rename later-on');
  terminal.press('enter');
  await terminal.until('name: later-on');
  terminal.type('/compact');
  terminal.press('enter');
  await terminal.untilSeen('after this turn: /compact');
  terminal.press('up');
  await terminal.untilSeen(/^> \/compact$/m);
  terminal.press('ctrl+u');
  expect(terminal.rows().join('\n')).not.toContain('after this turn: /compact');
  release();
  await terminal.until('ANSWERED.');
  await terminal.until('Conversation cleared');
  const lines = terminal.lines().join('\n');
  expect(lines.indexOf('ANSWERED.')).toBeLessThan(lines.indexOf('Conversation cleared'));
});

test('SF-16: ! runs a shell command: its output is in the history once, and the model sees it with the next prompt', async () => {
  const { stage, terminal } = await openTold();
  terminal.type('!printf "moss-%s\\n" 1 2 3 4 5 6');
  terminal.press('enter');
  await terminal.until('moss-6');
  expect(stage.sim.requests).toHaveLength(1);
  for (const line of ['moss-1', 'moss-4', 'moss-6']) {
    expect(terminal.lines().filter((row) => row.trim() === line)).toHaveLength(1);
  }
  terminal.type('what was it?');
  terminal.press('enter');
  await until(() => stage.sim.requests.length === 2, 'it is asked');
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('moss-6');
  await terminal.until(() => count(terminal.lines(), 'ANSWERED.') === 2, 'the second reply');
  expect(terminal.lines().filter((row) => row.trim() === 'moss-6')).toHaveLength(1);
});

test('SF-16: Esc and Ctrl+C stop a running shell command; a failing one reports it', async () => {
  const { terminal } = await openTold();
  for (const key of ['esc', 'ctrl+c']) {
    terminal.type(`!echo begun-${key}; sleep 300`);
    terminal.press('enter');
    await terminal.untilSeen('esc stops it');
    terminal.press(key);
    await terminal.untilGone('esc stops it');
  }
  terminal.type('!exit 7');
  terminal.press('enter');
  await terminal.until(/Bash exit 7.*failed/);
  terminal.type('still here');
  await untilEdited(terminal, 'still here');
});

test('SF-16: # asks where to save a note, and writes it there; Esc writes nothing', async () => {
  const { stage, terminal } = await openTold();
  terminal.type('#use the small trowel');
  terminal.press('enter');
  await terminal.until('Save to which file?');
  terminal.type('1');
  terminal.press('enter');
  await terminal.until(/Saved to .*CLAUDE\.md/);
  expect(await stage.read('CLAUDE.md')).toContain('use the small trowel');
  terminal.type('#and never the big one');
  terminal.press('enter');
  await terminal.until(() => count(terminal.lines(), 'Save to which file?') === 2, 'it is asked');
  terminal.press('esc');
  await terminal.until('Nothing saved.');
  expect(await stage.read('CLAUDE.md')).not.toContain('the big one');
  expect(stage.sim.requests).toHaveLength(1);
});
