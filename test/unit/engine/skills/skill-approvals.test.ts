/** Whether what a skill allows and hooks into the session applies: who is asked, about what, and for how long. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LiveAgent } from '../../../../src/agents/live-agent.js';
import type { Skill } from '../../../../src/config/skills/skill.js';
import { openTrust } from '../../../../src/config/trust.js';
import { SkillApprovals, type SkillApprovalsOptions } from '../../../../src/engine/skills/skill-approvals.js';
import { NO_HOOKS } from '../../../../src/gate/hooks/hooks.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { makeSkill } from '../../agents/skills/make-skill.js';

type Answer = 'yes' | 'no' | 'nobody';

/** A session's part of it: answers are given in order, what is asked, hooked in and said is kept. */
async function setUp(more: Partial<SkillApprovalsOptions> = {}) {
  const projectRoot = await scratchFolder();
  const home = join(projectRoot, 'home');
  await mkdir(join(home, '.coppice'), { recursive: true, mode: 0o700 });
  const host = nodeHost(projectRoot, { HOME: home, COPPICE_HOME: join(home, '.coppice') });
  const [asked, added, lines, remembered]: [string[], unknown[], string[], string[][]] = [[], [], [], []];
  const answers: Answer[] = [];
  const recorded: [string, string][] = [];
  const open = () =>
    new SkillApprovals({
      host,
      projectRoot,
      approvalsRoot: projectRoot,
      plugins: [],
      roots: [projectRoot],
      opened: new Map(),
      trustsOpened: false,
      recordHooks: async (skill, what) => void recorded.push([skill, what]),
      runsHooks: true,
      gate: {
        confirm: async ({ reason }: { reason: string }) => {
          asked.push(reason);
          return answers.shift() ?? 'nobody';
        },
      } as unknown as SkillApprovalsOptions['gate'],
      hooks: { ...NO_HOOKS, add: (sources) => void added.push(...sources) },
      rememberHooks: (hooks) => remembered.push(hooks.map(({ event }) => event)),
      ...more,
    });
  const agent = { emit: async ({ line }: { line: string }) => lines.push(line) } as unknown as LiveAgent;
  const approvals = open();
  const approve = (skill: Skill, isTyped = false, by = approvals) =>
    by
      .approve({ agent, skill, allow: skill.allowedTools, isTyped }, new AbortController().signal)
      .then(({ tools }) => tools);
  return { host, projectRoot, home, asked, added, lines, remembered, recorded, answers, approvals, approve, open };
}

const HOOKS = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] } as Skill['hooks'];
const acting = (more: Partial<Skill> = {}) => makeSkill('make', { allowedTools: ['Bash(touch:*)'], ...more });
const hooked = (more: Partial<Skill> = {}) => acting({ ...(HOOKS ? { hooks: HOOKS } : {}), ...more });

it('EX-14: a project’s is asked about once, with what it wants; a no is not asked again', async () => {
  const { approve, answers, asked, lines, open } = await setUp();
  answers.push('no');
  expect([await approve(acting()), await approve(acting())]).toEqual([false, false]);
  expect(asked).toEqual([
    'Skill make (/project/.claude/skills/make/SKILL.md) requests, while it is in use:\nwithout asking: Bash(touch:*)',
  ]);
  expect(lines[0]).toBe('not approved: skill make runs without its permissions');
  // A no holds for this run alone.
  answers.push('yes');
  expect(await approve(acting(), false, open())).toBe(true);
  expect(await approve(acting(), false, open())).toBe(true);
  expect(asked).toHaveLength(2);
});

it('EX-14: a yes is bound to what it allows, its text, its hooks and their files', async () => {
  const { approve, answers, asked, projectRoot } = await setUp();
  const script = join(projectRoot, 'check.sh');
  await writeFile(script, 'true\n');
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: './check.sh' }] }] } as Skill['hooks'];
  const skill = acting({ ...(hooks ? { hooks } : {}) });
  const answerYes = async (changed: Skill) => {
    answers.push('yes');
    const said = await approve(changed);
    answers.length = 0;
    return [said, asked.splice(0).length];
  };
  expect(await answerYes(skill)).toEqual([true, 1]);
  expect(await answerYes(skill)).toEqual([true, 0]);
  expect(await answerYes({ ...skill, allowedTools: ['Bash'] })).toEqual([true, 1]);
  expect(await answerYes({ ...skill, prompt: 'Other.' })).toEqual([true, 1]);
  expect(await answerYes({ ...skill, ...(HOOKS ? { hooks: HOOKS } : {}) })).toEqual([true, 1]);
  await writeFile(script, 'rm -rf /\n');
  expect(await answerYes(skill)).toEqual([true, 1]);
});

it.each([
  'Bash(./.claude/skills/make/run.sh:*)',
  'Bash(.claude/skills/make/run.sh)',
  'Bash(bash .claude/skills/make/run.sh *)',
])('EX-14 GT-3: a yes to %s is bound to that script, also for a run with --trust', async (rule) => {
  const skill = acting({ allowedTools: [rule] });
  const { approve, answers, asked, projectRoot, open } = await setUp({
    trustsOpened: true,
    opened: new Map([['make', skill]]),
  });
  const script = join(projectRoot, '.claude', 'skills', 'make', 'run.sh');
  await mkdir(join(script, '..'), { recursive: true });
  await writeFile(script, 'true\n', { mode: 0o755 });
  const trusting = open();
  await trusting.approveForThisRun([skill]);
  expect([await approve(skill, false, trusting), asked.length]).toEqual([true, 0]);
  answers.push('yes');
  expect([await approve(skill), await approve(skill), asked.length]).toEqual([true, true, 1]);
  await writeFile(script, 'rm -rf /\n', { mode: 0o755 });
  expect([await approve(skill, false, trusting), await approve(skill), asked.length]).toEqual([false, false, 3]);
});

it('EX-14: nobody there means no, and is asked again when somebody is', async () => {
  const { approve, answers, asked, host, projectRoot } = await setUp();
  expect(await approve(acting())).toBe(false);
  answers.push('yes');
  expect(await approve(acting())).toBe(true);
  expect(asked).toHaveLength(2);
  expect((await openTrust(host).approvals(projectRoot)).has({ kind: 'skill', name: 'x', value: 1, summary: '' })).toBe(
    false,
  );
});

it('EX-14: typed, what it allowed when the session was opened needs no question; what it hooks does', async () => {
  const plain = await setUp({ opened: new Map([['make', acting()]]) });
  expect(await plain.approve(acting(), true)).toBe(true);
  expect(plain.asked).toEqual([]);
  const guarded = await setUp({ opened: new Map([['make', hooked()]]) });
  guarded.answers.push('no');
  expect(await guarded.approve(hooked(), true)).toBe(true);
  expect(guarded.asked).toHaveLength(1);
  expect(guarded.asked[0]).toContain('automatically, for the rest of the session:');
  expect(guarded.added).toEqual([]);
});

it('EX-14 GT-3: typed after it changed in the session, what it allows is shown first', async () => {
  const { approve, answers, asked } = await setUp({ opened: new Map([['make', acting({ prompt: 'Before.' })]]) });
  answers.push('no');
  expect(await approve(acting(), true)).toBe(false);
  expect(asked).toHaveLength(1);
});

it('EX-14: hooks are hooked in once, as the project’s, and changes of their files are watched', async () => {
  const { approve, answers, added, remembered, recorded } = await setUp();
  answers.push('yes');
  await approve(hooked());
  await approve(hooked());
  expect(added).toEqual([{ origin: '/project/.claude/skills/make/SKILL.md', hooks: HOOKS }]);
  expect(recorded.map(([skill]) => skill)).toEqual(['make']);
  expect(remembered[0]).toEqual(['PreToolUse']);
});

it('EX-14: the user’s own needs no word, and its hooks are theirs; linked into the project, it is the project’s', async () => {
  const { approve, asked, added, home, projectRoot } = await setUp({ roots: [] });
  const file = join(home, 'SKILL.md');
  await writeFile(file, 'x');
  const source = { scope: 'user', file, trusted: true } as const;
  expect(await approve(hooked({ source }))).toBe(true);
  expect(await approve(hooked({ source }))).toBe(true);
  expect(asked).toEqual([]);
  expect(added).toEqual([{ origin: file, hooks: HOOKS, isOwn: true }]);
  const linked = join(home, 'linked.md');
  await writeFile(join(projectRoot, 'theirs.md'), 'x');
  await symlink(join(projectRoot, 'theirs.md'), linked);
  expect(await approve(acting({ source: { ...source, file: linked } }))).toBe(false);
  expect(asked).toHaveLength(1);
});

it('EX-14: where hooks are switched off, none is hooked in, and a typed one asks nothing', async () => {
  const { approve, asked, added } = await setUp({ runsHooks: false, opened: new Map([['make', hooked()]]) });
  expect(await approve(hooked(), true)).toBe(true);
  expect([asked, added]).toEqual([[], []]);
});

it('EX-14 GT-2: with --trust what a skill allowed at the opening applies; its hooks and its own files are inspected then', async () => {
  const opened = new Map([['make', acting()]]);
  const { approve, asked } = await setUp({ trustsOpened: true, opened });
  expect(await approve(acting())).toBe(true);
  expect(asked).toEqual([]);
  expect(await approve(acting({ prompt: 'Other.' }))).toBe(false);
  expect(await approve(hooked())).toBe(false);
  const own = acting({ allowedTools: [`Bash(\${CLAUDE_SKILL_DIR}/a.sh)`] });
  const bound = await setUp({ trustsOpened: true, opened: new Map([['make', own]]) });
  expect(await bound.approve(own)).toBe(false);
});

it('EX-14 GT-2: with --trust what is there now applies, for this run; control characters show', async () => {
  const { approvals, approve, asked, open } = await setUp();
  await approvals.approveForThisRun([acting()]);
  expect(await approve(acting())).toBe(true);
  expect(await approve(acting({ prompt: 'Other.' }))).toBe(false);
  expect(await approve(acting(), false, open())).toBe(false);
  asked.length = 0;
  await approve(acting({ allowedTools: ['Bash(a\u001b[2Jb\u202e)'] }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
  expect(asked[0]).not.toMatch(/[\u001b\u202e]/);
});

it('EX-14 GT-3: hooks that nobody could read before saying yes are not asked about, and are ignored', async () => {
  const { approve, answers, asked, added } = await setUp();
  answers.push('yes');
  const long = { Stop: [{ hooks: [{ type: 'command', command: `true ${'x'.repeat(5_000)}` }] }] } as Skill['hooks'];
  expect(await approve(acting({ ...(long ? { hooks: long } : {}) }))).toBe(false);
  expect([asked, added]).toEqual([[], []]);
});
