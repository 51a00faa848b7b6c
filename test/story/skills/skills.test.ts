/** Skills and commands in a session: listed, applied by the model, typed by the user. */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../src/protocol/permission.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

type Body = {
  readonly tools: readonly { name: string; description: string }[];
  readonly system: unknown;
  readonly messages: readonly unknown[];
};

const bodyOf = (request: SimRequest | undefined) => JSON.parse(request?.raw.toString('utf8') ?? '{}') as Body;
const listing = (request: SimRequest | undefined) =>
  bodyOf(request).tools.find(({ name }) => name === 'Skill')?.description ?? '';
const said = (request: SimRequest | undefined) => JSON.stringify(bodyOf(request).messages);
const prefixOf = (request: SimRequest | undefined) => {
  const { tools, system } = bodyOf(request);
  return JSON.stringify([tools, system]);
};

const skill = (name: string, body: string, fields = '') =>
  [`.claude/skills/${name}/SKILL.md`, `---\ndescription: what ${name} is for\n${fields}---\n${body}\n`] as const;

async function writeSkills(stage: Stage, ...skills: readonly (readonly [string, string])[]): Promise<void> {
  for (const [file, text] of skills) await stage.write(file, text);
}

const use = (name: string, args?: string) => ({
  tool: 'Skill',
  input: { skill: name, ...(args === undefined ? {} : { args }) },
});

describe('EX-2: a skill', () => {
  it('EX-2 EX-10: is listed by name and description, and its text comes when the model takes it up', async () => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [use('deploy', 'prod now')] }, { reply: 'done' }]);
    await writeSkills(
      stage,
      skill('deploy', `Deploy to $1, then $2. Session \${CLAUDE_SESSION_ID}, in \${CLAUDE_SKILL_DIR}.`),
    );
    const session = await stage.open({ trust: true });
    expect((await session.send('go')).reason, stage.sim.report()).toBe('completed');
    expectAllAccepted(stage.sim);
    const [first, second] = stage.sim.requests;
    expect(listing(first)).toContain('- deploy: what deploy is for');
    expect(said(first)).not.toContain('Deploy to');
    const folder = join(stage.folder, '.claude/skills/deploy');
    expect(said(second)).toContain(`Deploy to prod, then now. Session ${session.id}, in ${folder}.`);
    // It is to be followed: it is no tool result.
    expect(said(second)).toMatch(/<system-reminder>\\nTaken up, to be followed now: the skill deploy/);
    expect(prefixOf(second)).toBe(prefixOf(first));
  });

  it('EX-14: the same text again is a short note', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('deploy')] },
      { when: { nth: 2 }, reply: [use('deploy')] },
      { reply: 'done' },
    ]);
    await writeSkills(stage, skill('deploy', 'THE-WHOLE-TEXT'));
    const session = await stage.open({ trust: true });
    await session.send('go');
    expect(said(stage.sim.requests[2]).split('THE-WHOLE-TEXT')).toHaveLength(2);
    expect(said(stage.sim.requests[2])).toContain('deploy is in this conversation already');
  });

  it('EX-11: one that is only the user’s is not listed, and a model must ask for it', async () => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [use('release')] }, { reply: 'done' }]);
    await writeSkills(stage, skill('release', 'SECRET-STEPS', 'disable-model-invocation: true\n'));
    const session = await stage.open({ trust: true });
    await session.send('go');
    expect(listing(stage.sim.requests[0])).not.toContain('release');
    expect(said(stage.sim.requests[1])).toContain('ask the person to type /release');
    expect(said(stage.sim.requests[1])).not.toContain('SECRET-STEPS');
    await session.send('/release');
    expect(said(stage.sim.requests.at(-1))).toContain('SECRET-STEPS');
  });

  it('EX-11: one with user-invocable: false can’t be typed, and nothing is sent', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await writeSkills(stage, skill('inner', 'INNER', 'user-invocable: no\n'));
    const session = await stage.open({ trust: true });
    const end = await session.send('/inner');
    expect(end).toMatchObject({ reason: 'prompt_refused' });
    expect(end.line).toContain("/inner can't be typed");
    expect(stage.sim.requests).toHaveLength(0);
  });

  it.each(['Skill', 'Skill(deploy)', 'Skill(deploy *)'])(
    'EX-11: deny %s stops a typed one and a model’s',
    async (rule) => {
      const stage = await setStage([{ when: { nth: 1 }, reply: [use('deploy')] }, { reply: 'done' }]);
      await writeSkills(stage, skill('deploy', 'DEPLOY-TEXT'));
      await stage.settings({ permissions: { deny: [rule] } });
      const session = await stage.open({ trust: true });
      expect(await session.send('/deploy')).toMatchObject({ reason: 'prompt_refused' });
      expect(stage.sim.requests).toHaveLength(0);
      await session.send('go');
      expect(said(stage.sim.requests[1])).toContain('Permission denied');
      expect(said(stage.sim.requests[1])).not.toContain('DEPLOY-TEXT');
    },
  );

  it('EX-9 GT-2: of a project that is not trusted, nothing applies', async () => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [use('deploy')] }, { reply: 'done' }]);
    await writeSkills(stage, skill('deploy', 'DEPLOY-TEXT !`touch made`'));
    const session = await stage.open();
    const end = await session.send('/deploy');
    expect(end).toMatchObject({ reason: 'prompt_refused' });
    expect(end.line).toContain('coppice trust');
    await session.send('go');
    expect(listing(stage.sim.requests[0])).not.toContain('deploy');
    expect(said(stage.sim.requests[1])).not.toContain('DEPLOY-TEXT');
    await expect(stage.read('made')).rejects.toThrow();
  });

  it('EX-2: a definition’s skills are there from the start; what is missing is reported with the file', async () => {
    const stage = await setStage([
      { when: { said: 'TASK' }, reply: 'child done' },
      {
        when: { nth: 1 },
        reply: [{ tool: 'Agent', input: { prompt: 'TASK', subagent_type: 'shipper', description: 'd' } }],
      },
      { reply: 'done' },
    ]);
    await writeSkills(
      stage,
      skill('deploy', 'DEPLOY-TEXT'),
      skill('mine', 'MINE-TEXT', 'disable-model-invocation: 1\n'),
    );
    await stage.write(
      '.claude/agents/shipper.md',
      '---\nname: shipper\ndescription: d\nskills: deploy, mine, nothere\n---\nShip.\n',
    );
    const session = await stage.open({ trust: true });
    await session.send('go');
    const child = stage.sim.requests.find(
      (request) => said(request).includes('TASK') && said(request).includes('DEPLOY-TEXT'),
    );
    expect(child, stage.sim.report()).toBeDefined();
    expect(said(child)).not.toContain('MINE-TEXT');
    const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(lines.filter((line) => line.includes('shipper.md'))).toHaveLength(2);
    expect(lines.some((line) => line.includes('nothere'))).toBe(true);
  });
});

describe('EX-3: a command', () => {
  it('EX-3: is typed as /a:b, and as /b if that is unique; words and files go along', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/git/review.md', 'Review $ARGUMENTS with care, after @notes.md');
    await stage.write('notes.md', 'NOTE-CONTENT');
    await stage.write('src/a.ts', 'A-CONTENT');
    const session = await stage.open({ trust: true });
    await session.send('/git:review @src/a.ts');
    await session.send('/review again');
    expectAllAccepted(stage.sim);
    const first = said(stage.sim.requests[0]);
    expect(first).toContain('"text":"/git:review @src/a.ts"');
    expect(first).toContain('Review @src/a.ts with care');
    expect(first).toContain('NOTE-CONTENT');
    expect(first).toContain('A-CONTENT');
    expect(said(stage.sim.requests[1])).toContain('Review again with care');
    expect((await session.prompts()).map(({ words }) => words)).toEqual(['/git:review @src/a.ts', '/review again']);
  });

  it('EX-3: an unknown one is refused with the nearest; a path and a sentence about a folder are prompts', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/review.md', 'Review.');
    const session = await stage.open({ trust: true });
    const end = await session.send('/reviev all');
    expect(end).toMatchObject({ reason: 'prompt_refused' });
    expect(end.line).toContain('review');
    expect(stage.sim.requests).toHaveLength(0);
    expect(await session.send('/tmp is full')).toMatchObject({ reason: 'completed' });
    expect(await session.send('/usr/bin/env fails')).toMatchObject({ reason: 'completed' });
  });

  it('EX-3 GT-4: a file that a rule denies is not attached, and nothing outside is read unasked', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('secret.env', 'TOKEN-VALUE');
    await writeFile(join(stage.home, 'outside.txt'), 'OUTSIDE-VALUE');
    await stage.settings({ permissions: { deny: ['Read(secret.env)'] } });
    const session = await stage.open({ trust: true });
    await session.send(`look at @secret.env and @${join(stage.home, 'outside.txt')} and @nothing.md`);
    expect(said(stage.sim.requests[0])).not.toContain('TOKEN-VALUE');
    expect(said(stage.sim.requests[0])).not.toContain('OUTSIDE-VALUE');
    expect(said(stage.sim.requests[0])).toContain('@secret.env could not be attached');
  });
});

describe('EX-13: shell lines', () => {
  it('EX-13: pass the gate; what is allowed is run and its output put in', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/where.md', 'Now:\n!`echo "$((40 + 2))" > out.txt; cat out.txt`\nend');
    await stage.settings({ permissions: { allow: ['Bash'] } });
    const session = await stage.open({ trust: true });
    await session.send('/where');
    expect(said(stage.sim.requests[0])).toContain('Now:\\n42\\nend');
  });

  it('EX-13: denied or failed stops the invocation, shows the output and sends nothing', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/bad.md', 'Now:\n!`echo seen; exit 3`');
    await stage.write('.claude/commands/writes.md', 'Now:\n!`touch made`');
    await stage.settings({ permissions: { allow: ['Bash(echo:*)', 'Bash(exit:*)'] } });
    const session = await stage.open({ trust: true });
    const failed = await session.send('/bad');
    expect(failed).toMatchObject({ reason: 'prompt_refused' });
    expect(failed.line).toContain('seen');
    const denied = await session.send('/writes');
    expect(denied).toMatchObject({ reason: 'prompt_refused' });
    expect(denied.line).toContain('touch made');
    expect(stage.sim.requests).toHaveLength(0);
    await expect(stage.read('made')).rejects.toThrow();
  });

  it('EX-13: asks like any call of Bash, and arguments are words, not commands', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/say.md', '!`printf "%s." $ARGUMENTS > out.txt; cat out.txt`');
    const asked: PermissionQuestion[] = [];
    const session = await stage.open({
      trust: true,
      onPermission: async (question) => {
        asked.push(question);
        return { behavior: 'allow' };
      },
    });
    await session.send('/say a; touch pwned "$(touch pwned2)"');
    expect(asked.map(({ call }) => call.tool)).toEqual(['Bash']);
    expect(await stage.read('out.txt')).toBe('a;.touch.pwned.$(touch pwned2).');
    await expect(stage.read('pwned')).rejects.toThrow();
    await expect(stage.read('pwned2')).rejects.toThrow();
  });

  it('EX-13: the setting disableSkillShellExecution keeps them from running', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('.claude/commands/where.md', 'Now: !`touch made`');
    await stage.settings({ permissions: { allow: ['Bash'] }, disableSkillShellExecution: true });
    const session = await stage.open({ trust: true });
    await session.send('/where');
    expect(said(stage.sim.requests[0])).toContain('switched off');
    await expect(stage.read('made')).rejects.toThrow();
  });
});

describe('EX-9 FK-25: what changes during a session', () => {
  it('EX-9 FK-25: is reported by a reminder at the next prompt; the prefix stays byte for byte', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await writeSkills(stage, skill('one', 'ONE'), skill('two', 'TWO'));
    const session = await stage.open({ trust: true });
    await session.send('first');
    await rm(join(stage.folder, '.claude/skills/one'), { recursive: true });
    await writeSkills(stage, skill('three', 'THREE'));
    await session.send('second');
    await session.send('third');
    expectAllAccepted(stage.sim);
    const [first, second, third] = stage.sim.requests;
    expect(said(second)).toContain('- three: what three is for');
    expect(said(second)).toContain('No longer there: one');
    expect(prefixOf(second)).toBe(prefixOf(first));
    expect(said(third).split('No longer there: one')).toHaveLength(2);
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
    await session.send('/three');
    expect(said(stage.sim.requests[3])).toContain('THREE');
  });

  it('EX-9 FK-25: the first skill of a project that had none is reported, too', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    const session = await stage.open({ trust: true });
    await session.send('first');
    await writeSkills(stage, skill('one', 'ONE'));
    await session.send('second');
    expect(said(stage.sim.requests[1])).toContain('- one: what one is for');
    expect(prefixOf(stage.sim.requests[1])).toBe(prefixOf(stage.sim.requests[0]));
  });

  it('EX-9 FK-25: a resumed session keeps its prefix and is informed of what changed meanwhile', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await writeSkills(stage, skill('one', 'ONE'));
    const first = await stage.open({ trust: true });
    await first.send('first');
    await first.close();
    await writeSkills(stage, skill('two', 'TWO'));
    const again = await stage.open({ trust: true, resume: first.id });
    await again.send('second');
    expectAllAccepted(stage.sim);
    expect(prefixOf(stage.sim.requests[1])).toBe(prefixOf(stage.sim.requests[0]));
    expect(said(stage.sim.requests[1])).toContain('- two: what two is for');
  });

  it('EX-9 EX-10: below the working folder, and with paths, a skill is reported once a file there is touched', async () => {
    let page = '';
    const read = () => [{ tool: 'Read', input: { file_path: page } }];
    const stage = await setStage([
      { when: { nth: 1 }, reply: read },
      { when: { nth: 2 }, reply: read },
      { reply: 'done' },
    ]);
    page = await stage.write('apps/web/page.tsx', 'x');
    const other = await stage.write('apps/web/lib/other.tsx', 'y');
    await writeSkills(stage, skill('pages', 'PAGES', 'paths: "**/*.tsx"\n'), skill('deploy', 'ROOT'));
    await stage.write('apps/web/.claude/skills/deploy/SKILL.md', '---\ndescription: the web one\n---\nWEB-TEXT\n');
    const session = await stage.open({ trust: true });
    expect((await session.send('go')).reason, stage.sim.report()).toBe('completed');
    expect(listing(stage.sim.requests[0])).not.toContain('pages');
    await session.send(`see @${other}`);
    const last = said(stage.sim.requests.at(-1));
    expect(last.split('- pages: what pages is for')).toHaveLength(2);
    expect(last.split('- apps/web:deploy: the web one')).toHaveLength(2);
    await session.send('/apps/web:deploy');
    expect(said(stage.sim.requests.at(-1))).toContain('WEB-TEXT');
  });
});
