/**
 * The simulated model's script for the demo. Replies depend on what really happened: a report of success needs a
 * result that shows it, so a demo that completes has worked.
 */

import type { ReplyBlock, Rule, SeenRequest } from '../../../sim/index.js';
import { LOST, ORDER_COUNT } from './demo-files.js';

export const FIRST_PROMPT = 'Customers pay too little. Find out why, mend it, and see what it has cost us.';
export const SECOND_PROMPT = 'Write the release note.';
export const THIRD_PROMPT = 'Go on.';

/** Signals between the model and the demo. */
export type DemoCues = {
  /** The main agent has finished while the audit still works. */
  readonly mainRests: Cue;
  /** The child to be killed has written its file and waits for its next reply. */
  readonly noteWaits: Cue;
};

class Cue {
  give: () => void = () => {};
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

const MEND = 'Mend the loop in total.mjs and prove it with the tests.';
const AUDIT = 'Go through orders.txt: how many orders were too cheap, and by how much in all?';
const SEARCH = 'See whether other code makes the same mistake.';
const NOTE = 'Write the release note to CHANGES.md.';

export function demoRules(repo: string): { readonly rules: readonly Rule[]; readonly cues: DemoCues } {
  const cues = { mainRests: new Cue(), noteWaits: new Cue() };
  const rules = [...mendRules(), ...auditRules(repo, cues), ...searchRules(repo), ...noteRules(repo, cues)];
  return { rules: [...rules, ...mainRules(repo)], cues };
}

/** The directive as a fork receives it; its words alone also appear in reports and notices. */
function directed(directive: string): string {
  return `</fork-boilerplate>\n\n${directive}`;
}

/** It works in a worktree: reads the file there again, mends and tests it there, and commits. */
function mendRules(): Rule[] {
  const file = (request: SeenRequest) => `${worktreeIn(request)}/total.mjs`;
  return [
    {
      when: { user: directed(MEND) },
      reply: (request) => [{ tool: 'Read', input: { file_path: file(request) } }],
      delay: { firstMs: 150 },
    },
    {
      when: { said: directed(MEND), result: { tool: 'Read', text: 'let index = 1;' } },
      reply: (request) => [
        {
          tool: 'Edit',
          input: { file_path: file(request), old_string: 'let index = 1;', new_string: 'let index = 0;' },
        },
      ],
    },
    {
      when: { said: directed(MEND), result: { tool: 'Edit', error: false } },
      reply: [{ tool: 'Bash', input: { command: 'node --test', description: 'Run the tests' } }],
      delay: { firstMs: 500 },
    },
    {
      when: { said: directed(MEND), result: { tool: 'Bash', text: /pass 1\b[\s\S]*fail 0\b/, error: false } },
      reply: [{ tool: 'Bash', input: { command: COMMIT, description: 'Commit it' } }],
    },
    {
      when: {
        said: directed(MEND),
        result: { tool: 'Bash', text: /\[worktree-agent-\w+ (?<hash>\w+)\]/, error: false },
      },
      reply: (request) =>
        report(MEND, `The loop starts at 0 now; ${testsIn(request)}; committed.`, 'total.mjs ({{hash}})'),
    },
    {
      when: { said: directed(MEND), result: { tool: 'Bash', text: DENIED } },
      reply: [{ tool: 'Bash', input: { command: COMMIT, description: 'Commit it' } }],
    },
  ];
}

const COMMIT = 'git add total.mjs && git commit -m "Count the first item, too"';

/** At the real terminal the person may say no. */
const DENIED = 'the person said no';
const UNTESTED = 'not tested, because you said no';

function testsIn({ body }: SeenRequest): string {
  return JSON.stringify(body.messages).includes(DENIED) ? UNTESTED : 'node --test passes';
}

/** The folder that the fork was told to work in. */
function worktreeIn({ body }: SeenRequest): string {
  const [path = ''] = /\/[^\s"]+\/\.claude\/worktrees\/agent-\w+/.exec(JSON.stringify(body.messages)) ?? [];
  return path || TOLD_NOTHING;
}

const TOLD_NOTHING = '/the-fork-was-not-told-where-it-works';

/** The audit ends only when no call waits for it, so that its notice wakes the main agent. */
function auditRules(repo: string, { mainRests }: DemoCues): Rule[] {
  const path = `${repo}/orders.txt`;
  return [
    {
      when: { user: directed(AUDIT) },
      reply: [{ tool: 'Grep', input: { pattern: '^\\d+: ', path, output_mode: 'count' } }],
      delay: { firstMs: 450 },
    },
    {
      when: { said: directed(AUDIT), result: { tool: 'Grep', text: String(ORDER_COUNT) } },
      reply: async () => {
        await mainRests.given;
        return report(AUDIT, `All ${ORDER_COUNT} orders were too cheap, by ${LOST} in all.`);
      },
    },
  ];
}

function searchRules(repo: string): Rule[] {
  return [
    {
      when: { user: directed(SEARCH) },
      reply: [{ tool: 'Grep', input: { pattern: 'let index = \\d', path: repo, output_mode: 'content' } }],
      delay: { firstMs: 300 },
    },
    {
      when: { said: directed(SEARCH), result: { tool: 'Grep', text: 'stock.mjs' } },
      reply: report(SEARCH, 'No: the only other loop, in stock.mjs, starts at 0.'),
    },
  ];
}

/** The second reply never arrives, because the process is killed first. The resumed child asks again and gets it. */
function noteRules(repo: string, { noteWaits }: DemoCues): Rule[] {
  const content = 'Totals count the first item of a basket again.\n';
  return [
    {
      when: { user: directed(NOTE) },
      reply: [{ tool: 'Write', input: { file_path: `${repo}/CHANGES.md`, content } }],
    },
    {
      name: 'killed here',
      when: { said: directed(NOTE), result: { tool: 'Write', error: false } },
      reply: async () => {
        noteWaits.give();
        return new Promise(() => {});
      },
      times: 1,
    },
    {
      when: { said: directed(NOTE), result: { tool: 'Write', error: false } },
      reply: report(NOTE, 'CHANGES.md says what changed, in one line.', 'CHANGES.md'),
    },
  ];
}

function mainRules(repo: string): Rule[] {
  const read = (name: string): ReplyBlock => ({ tool: 'Read', input: { file_path: `${repo}/${name}` } });
  const fork = (name: string, prompt: string, more: object = {}): ReplyBlock => ({
    tool: 'Agent',
    input: { fork: true, name, description: prompt, prompt, ...more },
  });
  return [
    {
      when: { user: FIRST_PROMPT },
      reply: [
        { thinking: 'The code, its test and the orders.' },
        ...['total.mjs', 'total.test.mjs', 'orders.txt'].map(read),
      ],
    },
    {
      when: { result: { tool: 'Read', text: 'let index = 1;' } },
      reply: [
        { thinking: 'Three things to do that need all this and not each other.' },
        'The loop starts at 1: the first item of every basket is free. Three forks do the rest, the mending one in a worktree of its own.',
        fork('mend', MEND, { isolation: 'worktree' }),
        fork('search', SEARCH),
        fork('audit', AUDIT, { run_in_background: true }),
      ],
    },
    {
      when: { result: { tool: 'Agent', text: 'node --test passes' } },
      reply:
        'Mended, tested and committed on a branch of its own; the mistake is nowhere else. The audit still runs, I will hear of it.',
    },
    {
      when: { result: { tool: 'Agent', text: UNTESTED } },
      reply:
        'Mended and committed on a branch of its own, but not tested; the mistake is nowhere else. The audit still runs, I will hear of it.',
    },
    {
      when: { user: /<task-notification>[\s\S]*All (?<count>\d+) orders were too cheap, by (?<lost>\d+)/ },
      reply: 'The audit is back: {{count}} orders were too cheap, {{lost}} in all.',
    },
    { when: { user: SECOND_PROMPT }, reply: [fork('note', NOTE)] },
    {
      when: { user: THIRD_PROMPT, result: { tool: 'Agent', text: 'CHANGES.md says what changed' } },
      reply: 'The note is in CHANGES.md: the report came back to the very call that was waiting for it.',
    },
  ];
}

function report(scope: string, result: string, changed = 'none'): string {
  return `Scope: ${scope}\nResult: ${result}\nKey files: ${changed}\nFiles changed: ${changed}\nIssues: none`;
}
