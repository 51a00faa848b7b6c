/** EX-21: output styles through a session: whose prompt they change, and when. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { runProgram } from '../../support/program.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

async function writeStyle(stage: Stage, text: string, where = 'home'): Promise<void> {
  const path = join(where === 'home' ? stage.home : stage.folder, '.claude', 'output-styles', 'pirate.md');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const PIRATE = '---\nname: Pirate\ndescription: Arr\n---\nTalk like a pirate.\n';

function systemOf({ sim }: Stage, index = -1): string {
  const { system } = sim.requests.at(index)?.body ?? {};
  return (system as readonly { text: string }[]).map(({ text }) => text).join('\n\n');
}

describe('EX-21: the chosen style', () => {
  it('EX-21: is in the system prompt from the start, without our coding part', async () => {
    const stage = await setStage([{ reply: 'arr' }]);
    await writeStyle(stage, PIRATE);
    await stage.settings({ outputStyle: 'Pirate' });
    const session = await stage.open();
    await session.send('hi');
    expect(systemOf(stage)).toContain('Talk like a pirate.');
    expect(systemOf(stage)).not.toContain('# Working');
    expect(session.outputStyle).toBe('Pirate');
    expect(session.warnings).toEqual([]);
    expectAllAccepted(stage.sim);
  });

  it('EX-21: one that is not there is warned of with the nearest, and nothing changes', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await writeStyle(stage, PIRATE);
    await stage.settings({ outputStyle: 'Pirat' });
    const session = await stage.open();
    expect(session.warnings).toEqual(['outputStyle: unknown style "Pirat"; the default is used. Did you mean Pirate?']);
    await session.send('hi');
    expect(systemOf(stage)).toContain('# Working');
    expect(session.outputStyle).toBe('default');
  });

  it('EX-21: a project may choose, from those that count: its own only once it is trusted', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await writeStyle(stage, PIRATE, 'project');
    await stage.write('.claude/settings.json', JSON.stringify({ outputStyle: 'Pirate' }));
    const stranger = await stage.open();
    expect(stranger.outputStyle).toBe('default');
    expect(stranger.warnings.join()).toContain('unknown style "Pirate"');
    const trusted = await stage.open({ trust: true });
    expect(trusted.outputStyle).toBe('Pirate');
    await stage.write('.claude/settings.json', JSON.stringify({ outputStyle: 'Explanatory' }));
    expect((await stage.open()).outputStyle).toBe('Explanatory');
  });

  it('EX-21: a change applies from /clear on, not before, and begins a new epoch there', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const session = await stage.open();
    await session.send('one');
    await writeStyle(stage, PIRATE);
    await stage.settings({ outputStyle: 'Pirate' });
    await session.send('two');
    expect(systemOf(stage)).not.toContain('pirate');
    expect(await session.execute({ type: 'clear' })).toMatchObject({ ok: true });
    expect(session.outputStyle).toBe('Pirate');
    await session.send('three');
    expect(systemOf(stage)).toContain('Talk like a pirate.');
    await stage.settings({});
    await session.execute({ type: 'clear' });
    await session.send('four');
    expect(systemOf(stage)).toBe(systemOf(stage, 0));
    expect(session.outputStyle).toBe('default');
    expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'clear', 'clear']);
    expectAllAccepted(stage.sim);
  });

  it('EX-21: holds for forks and not for named children', async () => {
    const stage = await setStage([
      { when: { user: 'FORKED' }, reply: 'fork done' },
      { when: { user: 'NAMED' }, reply: 'child done' },
      {
        when: { nth: 1 },
        reply: [
          agentCall('FORKED', { subagent_type: 'fork' }),
          agentCall('NAMED', { subagent_type: 'general-purpose' }),
        ],
      },
      { reply: 'done' },
    ]);
    await writeStyle(stage, PIRATE);
    await stage.settings({ outputStyle: 'pirate' });
    await (await stage.open({ fork: 'on' })).send('go');
    const systems = (words: string) =>
      stage.sim.requests
        .map((request, index) => ({ index, is: JSON.stringify(request.body.messages.at(-1)).includes(words) }))
        .filter(({ is }) => is)
        .map(({ index }) => systemOf(stage, index).includes('pirate'));
    expect(systems('FORKED')).toEqual([true]);
    expect(systems('NAMED')).toEqual([false]);
  });

  it('EX-21: not next to --system-prompt, nor where an agent is the main one', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await writeStyle(stage, PIRATE);
    await stage.settings({ outputStyle: 'Pirate' });
    const own = await stage.open({ systemPrompt: 'Mine alone.' });
    await own.send('hi');
    expect(systemOf(stage)).toBe('Mine alone.');
    expect(own.outputStyle).toBe('default');
    const asAgent = await stage.open({
      agent: 'helper',
      agents: { helper: { description: 'helps', prompt: 'You help.' } },
    });
    await asAgent.send('hi');
    expect(systemOf(stage)).not.toContain('pirate');
    const appended = await stage.open({ appendSystemPrompt: 'And this.' });
    await appended.send('hi');
    expect(systemOf(stage)).toMatch(/Talk like a pirate\.\n\nAnd this\.$/);
  });
});

it('EX-21: the first line of stream-json names the style', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.settings({ outputStyle: 'learning' });
  const args = ['-p', 'hi', '--output-format', 'stream-json', '--verbose'];
  const { stdout } = await runProgram(args, stage.at);
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ subtype: 'init', output_style: 'Learning' });
});
