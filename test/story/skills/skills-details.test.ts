/** Skills in a session, in detail: what they run on, what is put into their texts, where their rules count. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of skills are written so.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

type Body = {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly thinking?: { readonly type: string };
  readonly output_config?: { readonly effort?: string };
};

const bodyOf = (request: SimRequest | undefined) => JSON.parse(request?.raw.toString('utf8') ?? '{}') as Body;
const said = (request: SimRequest | undefined) => JSON.stringify(bodyOf(request).messages);
const use = (skill: string, args?: string) => ({ tool: 'Skill', input: { skill, ...(args ? { args } : {}) } });
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const linesOf = (stage: Stage) => eventsOf(stage, 'line-shown').map(({ line }) => line);
const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

/** The user's own. */
async function writeOwn(stage: Stage, name: string, fields: string, body: string): Promise<string> {
  const file = join(stage.home, '.claude/skills', name, 'SKILL.md');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `---\ndescription: d\n${fields}---\n${body}\n`);
  return dirname(file);
}

describe('EX-8: model and effort of a skill', () => {
  it('EX-8: effort is asked for in that turn alone; with a model alone the session’s own effort stays', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'deep', 'effort: max\n', 'Think.');
    await write(stage, 'other', 'model: opus\n', 'Other.');
    const session = await stage.open({ trust: true, model: 'sonnet', effort: 'low' });
    await session.send('first');
    await session.send('/deep');
    await session.send('/other');
    await session.send('last');
    expectAllAccepted(stage.sim);
    const bodies = stage.sim.requests.map(bodyOf);
    expect(bodies.map(({ output_config }) => output_config?.effort)).toEqual(['low', 'max', 'low', 'low']);
    expect(bodies.map(({ model }) => /opus|sonnet/.exec(model)?.[0])).toEqual(['sonnet', 'sonnet', 'opus', 'sonnet']);
  });

  it('EX-8: who switched thinking off keeps it off with another effort; model: inherit changes nothing', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'deep', 'effort: max\n', 'Think.');
    await write(stage, 'same', 'model: inherit\n', 'Same.');
    await stage.settings({ alwaysThinkingEnabled: false });
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('/same');
    await session.send('again');
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
    await session.send('/deep');
    expectAllAccepted(stage.sim);
    const bodies = stage.sim.requests.map(bodyOf);
    expect(bodies.map(({ thinking }) => thinking?.type)).toEqual(['disabled', 'disabled', 'disabled']);
  });

  it('EX-8 FK-8: a fork stays on its parent’s model, and that is reported', async () => {
    const stage = await setStage([{ when: { user: 'FORK-TASK' }, reply: [use('quick')] }, { reply: 'done' }]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('hello');
    expect(await session.fork('FORK-TASK')).toMatchObject({ status: 'completed' });
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests.map((request) => /haiku|sonnet/.exec(bodyOf(request).model)?.[0])).toEqual([
      'sonnet',
      'sonnet',
      'sonnet',
    ]);
    expect(linesOf(stage).join('\n')).toContain("does not get: a fork runs on its parent's model");
  });

  it('EX-8 LC-17: with a budget, a model without a price is not run on', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'odd', 'model: claude-nobody-knows\n', 'Odd.');
    const session = await stage.open({ trust: true, model: 'sonnet', maxUsd: 5 });
    await session.send('/odd');
    expect(bodyOf(stage.sim.requests[0]).model).toContain('sonnet');
    expect(linesOf(stage).join('\n')).toContain(
      'the skill odd asks for another model or effort, which it does not get',
    );
  });
});

describe('EX-14: where the rules of a skill count', () => {
  const NESTED = [
    { when: { user: '/make' }, reply: [bash('cd nested')] },
    { when: { result: { tool: 'Bash' }, nth: 2 }, reply: [bash('touch made')] },
    { reply: 'done' },
  ];

  it('EX-14 GT-29: those of a project’s in the project, not in a repository nested in it', async () => {
    const stage = await setStage(NESTED);
    await write(stage, 'make', 'allowed-tools: Bash(touch:*)\n', 'Make it.');
    await stage.write('nested/.git/HEAD', 'ref: refs/heads/main\n');
    const session = await stage.open({ trust: true });
    await session.send('/make');
    expect(stage.sim.requests, stage.sim.report()).toHaveLength(3);
    expect(await isThere(stage, 'nested/made')).toBe(false);
  });

  it('EX-14: those of the user’s own wherever they work', async () => {
    const stage = await setStage(NESTED);
    await writeOwn(stage, 'make', 'allowed-tools: Bash(touch:*)\n', 'Make it.');
    await stage.write('nested/.git/HEAD', 'ref: refs/heads/main\n');
    const session = await stage.open({ trust: true });
    await session.send('/make');
    expect(await isThere(stage, 'nested/made'), stage.sim.report()).toBe(true);
  });

  it('EX-12: paths stand for what they name in allowed-tools, too', async () => {
    let file = '';
    const stage = await setStage([
      { when: { user: '/go' }, reply: () => [{ tool: 'Read', input: { file_path: file } }] },
      { reply: 'done' },
    ]);
    const own = await writeOwn(stage, 'go', 'allowed-tools: "Read(/${CLAUDE_SKILL_DIR}/**)"\n', 'Go.');
    file = join(own, 'more.md');
    await writeFile(file, 'MORE-CONTENT\n');
    const session = await stage.open();
    await session.send('/go');
    expect(said(stage.sim.requests[1]), stage.sim.report()).toContain('MORE-CONTENT');
  });

  it('EX-14: a skill that was not applied leaves no rule behind', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('bad')] },
      { when: { nth: 2 }, reply: [bash('touch made')] },
      { reply: 'done' },
    ]);
    await write(stage, 'bad', 'allowed-tools: Bash\n', 'Now: !`exit 3`');
    const session = await stage.open({ trust: true });
    await session.send('go');
    expect(said(stage.sim.requests[1])).toContain('The skill bad was not taken up');
    expect(await isThere(stage, 'made')).toBe(false);
  });
});

describe('EX-12: what is put into a text', () => {
  it('EX-12: the project, the effort (high by default), named arguments', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.git/HEAD', 'ref: refs/heads/main\n');
    await stage.write('sub/a.txt', 'x');
    await write(
      stage,
      'say',
      'arguments: [env, tag]\n',
      'In ${CLAUDE_PROJECT_DIR} at ${CLAUDE_EFFORT}: $env and $tag.',
    );
    const session = await stage.open({ trust: true, cwd: join(stage.folder, 'sub') });
    await session.send('/say prod v2');
    expect(said(stage.sim.requests[0])).toContain(`In ${stage.folder} at high: prod and v2.`);
    const low = await stage.open({ trust: true, effort: 'low' });
    await low.send('/say a b');
    expect(said(stage.sim.requests[1])).toContain('at low: a and b.');
  });

  it('EX-20 EX-12: variables and options of its plugin', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('../kit/.claude-plugin/plugin.json', JSON.stringify({ name: 'kit' }));
    await stage.write(
      '../kit/skills/say/SKILL.md',
      '---\nname: say\n---\nAt ${CLAUDE_PLUGIN_ROOT}: ${user_config.level}.\n',
    );
    const kit = join(stage.folder, '..', 'kit');
    await stage.settings({ plugins: [kit], pluginConfigs: { kit: { options: { level: 'LOUD' } } } });
    const session = await stage.open({ trust: true });
    await session.send('/kit:say');
    expect(said(stage.sim.requests[0])).toContain(`At ${kit}: LOUD.`);
  });

  it('EX-2: a skill shows where its files are; a command does not', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'one', '', 'ONE-TEXT');
    await stage.write('.claude/commands/two.md', 'TWO-TEXT');
    const session = await stage.open({ trust: true });
    await session.send('/one');
    await session.send('/two');
    const folder = join(stage.folder, '.claude/skills/one');
    expect(said(stage.sim.requests[1])).toContain(`the skill one\\n\\n(Its files are in ${folder})\\n\\nONE-TEXT\\n<`);
    expect(said(stage.sim.requests[1])).toContain('the skill two\\n\\nTWO-TEXT\\n<');
  });

  it('EX-13: several shell lines each have their output; another shell than bash is refused', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/two.md', 'A: !`echo one`\nB: !`echo two`\n');
    await stage.write('.claude/commands/zed.md', '---\nshell: powershell\n---\nA: !`echo one`\n');
    await stage.write('.claude/commands/bash.md', '---\nshell: bash\n---\nA: !`echo three`\n');
    const session = await stage.open({ trust: true, allowedTools: ['Bash(echo:*)'] });
    await session.send('/two');
    expect(said(stage.sim.requests[0])).toContain('A: one\\nB: two');
    const ids = eventsOf(stage, 'call-finished').map(({ call }) => call);
    expect(ids.filter((id) => id.includes('-line-'))).toHaveLength(2);
    expect(new Set(ids).size).toBe(ids.length);
    const refused = await session.send('/zed');
    expect(refused).toMatchObject({ reason: 'prompt_refused' });
    expect(refused.line).toContain('it wants the shell powershell, and only bash is available here');
    await session.send('/bash');
    expect(said(stage.sim.requests[1])).toContain('A: three');
  });

  it('EX-13 EX-3: files that a text names are attached, not those that a shell line printed', async () => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [use('both')] }, { reply: 'done' }]);
    await stage.write('own.md', 'OWN-CONTENT');
    await stage.write('printed.md', 'PRINTED-CONTENT');
    await write(stage, 'both', '', 'See @own.md, then: !`echo @printed.md`');
    const session = await stage.open({ trust: true, allowedTools: ['Bash(echo:*)'] });
    await session.send('go');
    expect(said(stage.sim.requests[1])).toContain('OWN-CONTENT');
    expect(said(stage.sim.requests[1])).toContain('then: @printed.md');
    expect(said(stage.sim.requests[1])).not.toContain('PRINTED-CONTENT');
  });
});

describe('EX-14 EX-10: what is remembered', () => {
  it('EX-14: another text of the same skill is reported; typed again, the same is a short note', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'say', '', 'SAY $1');
    const session = await stage.open({ trust: true });
    await session.send('/say one');
    await session.send('/say two');
    await session.send('/say two');
    const last = said(stage.sim.requests[2]);
    expect([last.split('SAY one'), last.split('SAY two')].map((parts) => parts.length)).toEqual([2, 2]);
    expect(last).toContain('The skill say is in this conversation already, with the same text: follow it.');
  });

  it('EX-14: a model that takes two up in one reply, and one twice, gets each text', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('say', 'one'), use('say', 'two')] },
      { reply: 'done' },
    ]);
    await write(stage, 'say', '', 'SAY $1');
    const session = await stage.open({ trust: true });
    await session.send('go');
    expectAllAccepted(stage.sim);
    expect(said(stage.sim.requests[1])).toContain('SAY one');
    expect(said(stage.sim.requests[1])).toContain('SAY two');
  });

  it('EX-10: a use is counted by the end of the session', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'say', '', 'SAY');
    const session = await stage.open({ trust: true });
    await session.send('/say');
    await session.close();
    const kept = JSON.parse(await readFile(join(stage.home, '.coppice/skill-usage.json'), 'utf8'));
    expect(kept).toMatchObject({ skills: [{ name: 'say', score: 1 }] });
  });

  it('EX-11: a rule about a command counts however it is called', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('/review'), use('review'), use(' git:review ')] },
      { reply: 'done' },
    ]);
    await stage.write('.claude/commands/git/review.md', 'REVIEW-TEXT');
    await stage.settings({ permissions: { deny: ['Skill(git:review)'] } });
    const session = await stage.open({ trust: true });
    await session.send('go');
    expect(said(stage.sim.requests[1]).split('Permission denied')).toHaveLength(4);
    expect(await session.send('/review')).toMatchObject({ reason: 'prompt_refused' });
    expect(said(stage.sim.requests[1])).not.toContain('REVIEW-TEXT');
  });
});

describe('EX-2: skills of a definition', () => {
  it('EX-2: stand with their place, without effects, and are not said again', async () => {
    const stage = await setStage([
      { when: { said: 'TASK', nth: 1 }, reply: [use('deploy')] },
      { when: { said: 'TASK' }, reply: 'child done' },
      {
        when: { nth: 1 },
        reply: [{ tool: 'Agent', input: { prompt: 'TASK', subagent_type: 'shipper', description: 'd' } }],
      },
      { reply: 'done' },
    ]);
    await write(stage, 'deploy', '', 'DEPLOY-TEXT  \n\n');
    await write(stage, 'acting', '', 'Now: !`touch made`');
    await stage.write(
      '.claude/agents/shipper.md',
      '---\nname: shipper\ndescription: d\nskills: deploy, acting\n---\nShip.\n',
    );
    const session = await stage.open({ trust: true, allowedTools: ['Bash'] });
    await session.send('go');
    expectAllAccepted(stage.sim);
    const [first, second] = stage.sim.requests.filter((request) => said(request).includes('DEPLOY-TEXT'));
    const folder = join(stage.folder, '.claude/skills/deploy');
    expect(said(first)).toContain(`(Its files are in ${folder})\\n\\nDEPLOY-TEXT\\n</system-reminder>`);
    expect(said(first)).toContain('Now: [not run when an agent starts: touch made]');
    expect(await isThere(stage, 'made')).toBe(false);
    expect(said(second).split('DEPLOY-TEXT')).toHaveLength(2);
    expect(said(second)).toContain('deploy is in this conversation already');
  });
});
