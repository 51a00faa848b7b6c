/** CL-2, CL-5: `builtInTools` leaves all agents only some of the built-in tools; `onlySkills` leaves some of the skills. */

import { expect, it } from 'vitest';
import { expectAllAccepted, readingTool, type Stage, setStage } from '../../support/story.js';

const names = (stage: Stage, request = 0) => (stage.sim.requests[request]?.body.tools ?? []).map(({ name }) => name);

it('CL-2: only the built-in tools that were asked for are declared, by any name they have; tools of the embedder stay', async () => {
  const stage = await setStage([{ reply: 'Hi.' }]);
  const tools = [readingTool('Own', async () => 'x')];
  const few = await stage.open({ builtInTools: ['Task', 'read', 'KillShell', 'Own', 'mcp__x__y'], tools });
  await few.send('Hi.');
  expect(names(stage)).toEqual(['Read', 'Agent', 'Own', 'TaskStop']);
  const none = await stage.open({ builtInTools: [] });
  await none.send('Hi.');
  expect(names(stage, 1)).toEqual([]);
  const all = await stage.open({ builtInTools: ['*'] });
  const usual = await stage.open();
  await all.send('Hi.');
  await usual.send('Hi.');
  expect(names(stage, 2)).toEqual(names(stage, 3));
  expectAllAccepted(stage.sim);
});

it('CL-2: what a schema needs stays when no tool does', async () => {
  const stage = await setStage([{ reply: [{ tool: 'StructuredOutput', input: { value: 1 } }] }]);
  const session = await stage.open({ builtInTools: [], outputSchema: { type: 'number' } });
  expect(await session.send('Hi.')).toMatchObject({ structured: 1 });
  expect(names(stage)).toEqual(['StructuredOutput']);
});

it('CL-2: children and forks have no others, and a call of another is an error result', async () => {
  const stage = await setStage([
    { when: { said: 'Look around.', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    { when: { said: 'Look around.' }, reply: 'Seen.' },
    { when: { said: '<fork-boilerplate>' }, reply: 'Forked.' },
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Agent', input: { prompt: 'Look around.', description: 'd' } },
        { tool: 'Agent', input: { fork: true, prompt: 'Think.', description: 'd' } },
      ],
    },
    { reply: 'Done.' },
  ]);
  const session = await stage.open({
    builtInTools: ['Agent', 'Read'],
    fork: 'on',
    permissionMode: 'bypassPermissions',
  });
  expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
  expect(new Set(stage.sim.requests.map((_, index) => names(stage, index).join()))).toEqual(new Set(['Read,Agent']));
  expect(JSON.stringify(stage.sim.requests.map(({ body }) => body.messages.at(-1)))).toContain('There is no tool');
  await expect(stage.read('made')).rejects.toThrow();
  expectAllAccepted(stage.sim);
});

it('CL-2: an agent whose tools are all left out is not started, and the reason names the choice', async () => {
  const agents = { runner: { description: 'd', prompt: 'Run.', tools: ['Bash'] } };
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: [{ tool: 'Agent', input: { subagent_type: 'runner', prompt: 'Go.', description: 'd' } }],
    },
    { reply: 'Done.' },
  ]);
  const session = await stage.open({ builtInTools: ['Agent', 'Read'], agents });
  await session.send('Go.');
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages.at(-1))).toMatch(
    /limited to some built-in tools .*Agent, Read/,
  );
  await expect(stage.open({ builtInTools: ['Read'], agents, agent: 'runner' })).rejects.toThrow(/--tools\): Read/);
});

it.each([
  ['Raed', /"Raed" \(nearest: .*Read/],
  ['Bash(git:*)', /"Bash\(git:\*\)" is a rule/],
  ['Wombat', /"Wombat".*Available: Bash, Read/s],
])('CL-2: the unknown name %s is refused when the session is opened', async (name, reason) => {
  const stage = await setStage();
  await expect(stage.open({ builtInTools: ['Read', name] })).rejects.toThrow(reason);
});

async function withSkills(): Promise<Stage> {
  const stage = await setStage([{ reply: 'Hi.' }]);
  for (const name of ['pdf', 'docx']) {
    await stage.write(
      `.claude/skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: About ${name} files.\n---\nUse ${name}.\n`,
    );
  }
  await stage.write('.claude/commands/review.md', 'Review it.\n');
  return stage;
}

const skillTool = (stage: Stage, request = 0) =>
  (stage.sim.requests[request]?.body.tools ?? []).find(({ name }) => name === 'Skill')?.description ?? '';

it('CL-2: onlySkills: others are not listed, not applied, not typed; what is not there is warned about', async () => {
  const stage = await withSkills();
  const session = await stage.open({ trust: true, onlySkills: ['pdf', 'gone'] });
  expect(session.warnings.join('\n')).toMatch(/unknown skills were requested for this session: "gone"/);
  expect(await session.send('/docx')).toMatchObject({
    reason: 'prompt_refused',
    line: expect.stringContaining('docx'),
  });
  expect(stage.sim.requests).toEqual([]);
  expect(await session.send('/pdf')).toMatchObject({ reason: 'completed' });
  expect(skillTool(stage)).toContain('pdf');
  expect(skillTool(stage)).not.toContain('docx');
  expect(skillTool(stage)).not.toContain('review');
  stage.sim.use([{ when: { user: 'Call.' }, reply: [{ tool: 'Skill', input: { skill: 'docx' } }] }, { reply: 'Hi.' }]);
  await session.send('Call.');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages.at(-1))).toContain('opened without the skill');
  stage.sim.use([
    { when: { user: 'Call it.' }, reply: [{ tool: 'Skill', input: { skill: 'review' } }] },
    { reply: 'Hi.' },
  ]);
  await session.send('Call it.');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages.at(-1))).toContain('"is_error":true');
  // A command is no skill: it stays the user's to type.
  expect(await session.send('/review')).toMatchObject({ reason: 'completed' });
  expectAllAccepted(stage.sim);
});

it('CL-2: onlySkills: none with an empty list, and one that comes later applies only if it is named', async () => {
  const stage = await withSkills();
  const session = await stage.open({ trust: true, onlySkills: [] });
  await session.send('Hi.');
  expect(skillTool(stage)).not.toMatch(/pdf|docx/);
  await stage.write('.claude/skills/late/SKILL.md', '---\nname: late\ndescription: Late.\n---\nLate.\n');
  await session.send('Again.');
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).not.toContain('late');
  expect(await session.send('/late')).toMatchObject({ reason: 'prompt_refused' });
});

it('CL-2: onlySkills: a file makes no others known', async () => {
  const stage = await withSkills();
  await stage.write(
    '.claude/skills/css/SKILL.md',
    '---\nname: css\ndescription: Styles.\npaths: "*.css"\n---\nUse css.\n',
  );
  const file = await stage.write('a.css', 'a {}');
  stage.sim.use([{ when: { user: 'Read.' }, reply: [{ tool: 'Read', input: { file_path: file } }] }, { reply: 'Hi.' }]);
  const heard = async (onlySkills: readonly string[]) => {
    await (await stage.open({ trust: true, onlySkills })).send('Read.');
    return JSON.stringify(stage.sim.requests.at(-1)?.body.messages.at(-1));
  };
  expect(await heard(['css'])).toContain('Styles.');
  expect(await heard(['pdf'])).not.toContain('Styles.');
});

it('CL-2: a skill can be typed where agents have no Skill tool', async () => {
  const stage = await withSkills();
  const session = await stage.open({ trust: true, builtInTools: ['Read'] });
  expect(await session.send('/pdf')).toMatchObject({ reason: 'completed' });
  expect(JSON.stringify(stage.sim.requests[0]?.body.messages)).toContain('Use pdf.');
});
