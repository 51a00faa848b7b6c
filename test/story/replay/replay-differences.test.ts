/** SF-12: what has changed since a session was recorded fails at the first request that differs, readably. */

import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { agentCall } from '../../support/agent-call.js';
import { readingTool } from '../../support/story.js';
import { type Machine, record, recordingFile, replay, setMachine, startModel } from './replay-stage.js';

const REVIEWER = (words: string) => `---\nname: reviewer\ndescription: Looks at it.\n---\n${words}\n`;

const model = () =>
  startModel([
    { when: { said: 'LOOK' }, reply: 'Looked at it.' },
    { when: { nth: 1 }, reply: [agentCall('LOOK', { subagent_type: 'reviewer', description: 'look', name: 'rita' })] },
    { reply: 'Done.' },
  ]);

async function setProject(more: Record<string, string> = {}): Promise<Machine> {
  const machine = await setMachine();
  const files = { 'CLAUDE.md': 'Be brief.\nBe kind.\n', '.claude/agents/reviewer.md': REVIEWER('Be exact.'), ...more };
  for (const [name, text] of Object.entries(files)) await machine.write(name, text);
  return machine;
}

const go = async (session: Session) => {
  await session.send('Go.');
  await session.settled(20_000);
};

const OPTIONS = { trust: true } as const;

describe('SF-12: what differs is reported', () => {
  it('SF-12: a changed agent file fails at the request of that agent', async () => {
    const sim = await model();
    const file = await record(await setProject(), sim, go, OPTIONS);
    const changed = await setProject({ '.claude/agents/reviewer.md': REVIEWER('Be quick.') });
    const status = await replay(changed, file, go, OPTIONS);
    expect(status).toMatchObject({ ok: false, recorded: 3, played: 1 });
    expect(status.difference?.split('\n')).toEqual([
      'Request 2 of 3 (child "rita") differs from the recording at system[0]',
      '  - Be exact.',
      '  + Be quick.',
      `If the change is intended, delete ${file} and record it again (--record).`,
    ]);
  });

  it('SF-12: a changed CLAUDE.md fails at the first request, with the line and the one before it', async () => {
    const file = await record(await setProject(), await model(), go, OPTIONS);
    const status = await replay(await setProject({ 'CLAUDE.md': 'Be brief.\nBe blunt.\n' }), file, go, OPTIONS);
    const [head, ...lines] = status.difference?.split('\n') ?? [];
    expect(head).toBe('Request 1 of 3 (the main agent) differs from the recording at messages[0] (user): text');
    expect(lines.slice(0, 3)).toEqual(['    Be brief.', '  - Be kind.', '  + Be blunt.']);
    expect(status.played).toBe(0);
  });

  it('SF-12: another list of tools, another description and other words are named', async () => {
    const file = await record(await setProject(), await model(), go, OPTIONS);
    const more = { ...OPTIONS, tools: [readingTool('Peek', async () => 'x')] };
    expect((await replay(await setProject(), file, go, more)).difference).toContain('at tools\n  + Peek\n');
    const peeked = await record(await setProject(), await model(), go, more);
    expect((await replay(await setProject(), peeked, go, OPTIONS)).difference).toContain('at tools\n  - Peek\n');
    const described = [{ ...readingTool('Peek', async () => 'x'), description: 'Looks.' }];
    expect((await replay(await setProject(), peeked, go, { ...OPTIONS, tools: described })).difference).toContain(
      'at tools: Peek: description\n  - A tool for tests: Peek.\n  + Looks.\n',
    );
    const other = await replay(await setProject(), file, async (session) => session.send('Stop.'), OPTIONS);
    expect(other.difference).toMatch(/messages\[0\] \(user\): text\n[\s\S]*- Go\.\n[\s\S]*\+ Stop\./);
    const prompted = await replay(await setProject(), file, go, { ...OPTIONS, appendSystemPrompt: 'Be brave.' });
    expect(prompted.difference).toContain('at system[1]\n  - (nothing)\n  + Be brave.\n');
  });

  it('SF-12: a result of a tool that differs is named with its tool', async () => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'cat note.txt' } }] },
      { reply: 'Done.' },
    ]);
    const file = await record(await setProject({ 'note.txt': 'one\ntwo\nthree\n' }), sim, go, OPTIONS);
    const status = await replay(await setProject({ 'note.txt': 'one\n2\nthree\n' }), file, go, OPTIONS);
    expect(status.difference?.split('\n').slice(0, 4)).toEqual([
      'Request 2 of 2 (the main agent) differs from the recording at messages[2] (user): tool_result of Bash',
      '    one',
      '  - two',
      '  + 2',
    ]);
  });

  it('SF-12: recorded requests that never came are counted, and the first is named', async () => {
    const file = await record(await setProject(), await model(), go, OPTIONS);
    const status = await replay(await setProject(), file, async () => {}, OPTIONS);
    expect(status).toMatchObject({ ok: false, recorded: 3, played: 0, missing: { length: 3 } });
    expect(status.missing[0]).toBe('request 1 of 3 (the main agent), “Go.”');
  });

  it('SF-12: one request more than recorded is a difference', async () => {
    const file = await record(await setProject(), await model(), go, OPTIONS);
    const status = await replay(
      await setProject(),
      file,
      async (session) => {
        await go(session);
        await session.send('And more.');
      },
      OPTIONS,
    );
    expect(status.difference).toMatch(
      /^One request more than recorded: POST \/v1\/messages \(the main agent\), “And more\.”, is not in the recording, of which all 3 were played\./,
    );
  });

  it.each([
    ['one \n', 'one\n', 'one␠'],
    ['o\u200bne\n', 'one\n', 'o\\u200bne'],
    ['o\u00a0ne\n', 'o ne\n', 'o\\u00a0ne'],
  ])('SF-12: what can’t be seen is shown in a difference: %j', async (before, after, shown) => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'cat note.txt; echo end' } }] },
      { reply: 'Done.' },
    ]);
    const file = await record(await setProject({ 'note.txt': before }), sim, go, OPTIONS);
    const status = await replay(await setProject({ 'note.txt': after }), file, go, OPTIONS);
    expect(status.difference).toContain(`\n  - ${shown}\n  + ${after}`);
  });

  it('SF-12: one request more of a child is not compared with those of others', async () => {
    const sim = await model();
    const file = await record(await setProject(), sim, go, OPTIONS);
    const hooks = {
      SubagentStop: [{ hooks: [{ type: 'command', command: 'echo "Look again." >&2; exit 2' }] }],
    };
    const status = await replay(
      await setProject({ '.claude/settings.json': JSON.stringify({ hooks }) }),
      file,
      go,
      OPTIONS,
    );
    expect(status.difference).toMatch(
      /^One request more than recorded: POST \/v1\/messages \(child "rita"\), “.*Look again/,
    );
    expect(status.difference).toContain('is not in the recording, which has no more of this agent.');
  });

  it.each([
    ['{"coppice":"recording","version":1}\n', /contains no requests: delete it and record again/],
    ['{"coppice":"recording","version":99}\n', /:1: version 99 is not known here/],
    ['{"coppice":"recording","version":1}\nnot json\n{}\n', /:2: this is not a line of a recording.*Record it again/],
  ])('SF-12: a recording that can’t be used is refused: %s', async (text, reason) => {
    const file = await recordingFile();
    await writeFile(file, text);
    const machine = await setMachine();
    await expect(machine.open({ replay: file })).rejects.toThrow(reason);
    await expect(machine.open({ record: file })).rejects.toThrow(/exists: delete it to record again/);
    await expect(machine.open({ replay: `${file}.not` })).rejects.toThrow(/can't be read/);
    await expect(machine.open({ record: 'a', replay: file })).rejects.toThrow(/not both/);
  });
});
