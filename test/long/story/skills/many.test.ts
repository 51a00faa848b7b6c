/** 379 agents and 200 skills in one project: what the first request has of them, and how the rest is found. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule, SimRequest } from '../../../../src/sim/index.js';
import { expectAllAccepted, type Stage, setStage } from '../../../support/story.js';

const WORDS = 'Reads the change, names real bugs only, and says how sure it is about each. ';
const HI: Rule[] = [{ reply: 'Hello.' }];

async function withMany(agents: number, skills: number, rules: readonly Rule[] = HI): Promise<Stage> {
  const stage = await setStage(rules);
  const three = (n: number) => String(n).padStart(3, '0');
  for (let n = 0; n < agents; n += 1) {
    const fields = `name: agent-${three(n)}\ndescription: ${WORDS.repeat(1 + (n % 8)).trim()}\ntools: Read, Grep`;
    await stage.write(`.claude/agents/agent-${three(n)}.md`, `---\n${fields}\n---\nx\n`);
  }
  for (let n = 0; n < skills; n += 1) {
    const fields = `description: Use ${three(n)} for zebra-${three(n)}. ${WORDS.repeat(1 + (n % 4)).trim()}`;
    await stage.write(`.claude/skills/skill-${three(n)}/SKILL.md`, `---\n${fields}\n---\nTEXT-${three(n)}\n`);
  }
  return stage;
}

type Declared = { readonly name: string; readonly description: string };
const toolsOf = (request: SimRequest | undefined) =>
  (JSON.parse(request?.raw.toString('utf8') ?? '{}') as { tools: readonly Declared[] }).tools;
const lines = (request: SimRequest | undefined, tool: 'Agent' | 'Skill') => {
  const { description = '' } = toolsOf(request).find(({ name }) => name === tool) ?? {};
  return description.split('\n').filter((line) => /^- (?:agent|skill)-\d/.test(line));
};
const described = (listed: readonly string[]) => listed.filter((line) => line.includes(':'));
const declares = (request: SimRequest | undefined) => toolsOf(request).some(({ name }) => name === 'SearchListing');

it('EX-10: both lists stay within their budgets, with all names; what lost its description is found', async () => {
  const stage = await withMany(379, 200, [
    { when: { nth: 1 }, reply: [{ tool: 'SearchListing', input: { query: 'zebra-199' } }] },
    { when: { nth: 2 }, reply: [{ tool: 'Skill', input: { skill: 'skill-199' } }] },
    { reply: 'Done.' },
  ]);
  await stage.settings({ models: { 'small-model': { context: 200_000 } } });
  const session = await stage.open({ trust: true, model: 'small-model' });
  await session.send('Hi.');
  expectAllAccepted(stage.sim);
  const [first, second, third] = stage.sim.requests;
  const [agents, skills] = [lines(first, 'Agent'), lines(first, 'Skill')];
  expect([agents.length, skills.length]).toEqual([379, 200]);
  // 2 % and 1 % of 200,000 tokens, at 4 characters each. The built-in agents are in the first list, too.
  expect(agents.join('\n').length).toBe(15_085);
  expect(skills.join('\n').length).toBe(7_811);
  expect([described(agents).length, described(skills).length]).toEqual([82, 26]);
  expect(skills.at(-1)).toBe('- skill-199');
  expect(declares(first)).toBe(true);
  const found = second?.results.at(-1)?.text ?? '';
  expect(found).toMatch(/^- skill-199, skill \(use it with Skill\): Use 199 for zebra-199\. Reads the change/);
  expect(third?.raw.toString('utf8')).toContain('TEXT-199');
  expect(JSON.stringify(toolsOf(third))).toBe(JSON.stringify(toolsOf(first)));
  // Of a large context, agents take 20,000 characters with the built-in ones, and skills a hundredth.
  const large = await stage.open({ trust: true, model: 'sonnet' });
  await large.send('Hi.');
  const last = stage.sim.requests.at(-1);
  expect(lines(last, 'Agent').join('\n').length).toBe(19_001);
  expect(described(lines(last, 'Skill'))).toHaveLength(175);
});

it('EX-10: the setting and the variable say how much skills may take; without a cut nothing is declared to search', async () => {
  const stage = await withMany(3, 200);
  const first = async (settings: object, more: Record<string, string> = {}) => {
    await stage.settings({ models: { 'small-model': { context: 200_000 } }, ...settings });
    const session = await stage.open({ trust: true, model: 'small-model', env: { ...stage.env, ...more } });
    await session.send('Hi.');
    await session.close();
    const request = stage.sim.requests.at(-1);
    return [described(lines(request, 'Skill')).length, lines(request, 'Skill').length, declares(request)];
  };
  expect(await first({})).toEqual([26, 200, true]);
  expect(await first({ skillListingBudgetFraction: 0.2 })).toEqual([200, 200, false]);
  expect(await first({ skillListingBudgetFraction: 0 })).toEqual([0, 200, true]);
  expect(await first({ skillListingBudgetFraction: 0 }, { SLASH_COMMAND_TOOL_CHAR_BUDGET: '100000' })).toEqual([
    200,
    200,
    false,
  ]);
  expect(await first({}, { SLASH_COMMAND_TOOL_CHAR_BUDGET: '3000' })).toEqual([3, 200, true]);
});

it('EX-10: only agents cut: there is a search, too; a skill that only the person may use is not found by it', async () => {
  const stage = await withMany(379, 3, [
    { when: { nth: 1 }, reply: [{ tool: 'SearchListing', input: { query: 'select:skill-001,hidden' } }] },
    { reply: 'Done.' },
  ]);
  const hidden = '---\ndescription: For the person\ndisable-model-invocation: true\n---\nx\n';
  await stage.write('.claude/skills/hidden/SKILL.md', hidden);
  const session = await stage.open({ trust: true, model: 'sonnet' });
  await session.send('Hi.');
  const found = stage.sim.requests[1]?.results.at(-1)?.text ?? '';
  expect(found).toContain('- skill-001, skill (use it with Skill): Use 001 for zebra-001.');
  expect(found).not.toContain('For the person');
  const { description = '' } = toolsOf(stage.sim.requests[0]).find(({ name }) => name === 'Skill') ?? {};
  expect(description).not.toContain('SearchListing');
});

it('EX-10: the one that was used keeps its description in the next session', async () => {
  const stage = await withMany(0, 200);
  await stage.settings({ models: { 'small-model': { context: 200_000 } } });
  const before = await stage.open({ trust: true, model: 'small-model' });
  await before.send('/skill-199');
  await before.close();
  const after = await stage.open({ trust: true, model: 'small-model' });
  await after.send('Hi.');
  const [first, second] = stage.sim.requests.map((request) => lines(request, 'Skill').at(-1));
  expect(first).toBe('- skill-199');
  expect(second).toMatch(/^- skill-199: Use 199 for zebra-199\. Reads the change/);
});

it('EX-9: skills of the person, of a folder above and of an added one count, also where there are no others', async () => {
  const stage = await setStage(HI);
  await stage.write('.git/HEAD', 'ref: refs/heads/main\n');
  await stage.write('sub/x.txt', 'x');
  const listed = async (more: object) => {
    const session = await stage.open({ cwd: join(stage.folder, 'sub'), trust: true, ...more });
    const report = await session.execute({ type: 'skills' });
    await session.close();
    return report.ok ? report.skills.map(({ name, scope }) => `${name} ${scope}`) : report.reason;
  };
  expect(await listed({})).toEqual([]);
  await stage.write('../added/.claude/skills/added/SKILL.md', '---\ndescription: Added\n---\nx\n');
  expect(await listed({ addDirs: ['../../added'] })).toEqual(['added project']);
  const own = join(stage.home, '.claude/commands');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'own.md'), 'Own.');
  expect(await listed({})).toEqual(['own user']);
  await rm(own, { recursive: true });
  await stage.write('.claude/commands/above.md', 'Above.');
  expect(await listed({})).toEqual(['above project']);
  await stage.settings({ skillOverrides: { above: 'off' } });
  expect(await listed({})).toEqual([]);
});

it('EX-8 EX-9: what is wrong with files is one line; of a folder that is not trusted, only how many there are', async () => {
  const stage = await setStage(HI);
  await stage.write('.claude/skills/bad/SKILL.md', '---\ndescription: [\n---\nx\n');
  await stage.write('.claude/skills/good/SKILL.md', '---\ndescription: d\n---\nx\n');
  const lines = async (trust: boolean) => {
    const session = await stage.open({ trust });
    await session.close();
    return session.warnings;
  };
  expect((await lines(true)).filter((line) => line.includes('bad/SKILL.md'))).toHaveLength(1);
  const untrusted = await lines(false);
  expect(untrusted.filter((line) => line.includes('bad/SKILL.md'))).toEqual([]);
  expect(untrusted.join('\n')).toContain(
    "2 skills and commands of this project can't be used: the folder is not trusted (run coppice trust).",
  );
});
