/**
 * The demo's scenario: a shop whose totals leave out the first item of every basket, what you ask, and what the simulated
 * model replies. A report of success needs a result that shows it, so a demo that completes has worked.
 */

import type { ReplyBlock, ResultPattern, Rule, SeenRequest, When } from '../../../sim/index.js';

const GOODS = ['tea', 'cup', 'kettle', 'honey', 'spoon', 'filter', 'tray'];

/** Deterministic orders, enough of them to make a shared conversation worthwhile. */
const ORDERS = Array.from({ length: 400 }, (_, index) => ({
  number: 1001 + index,
  items: Array.from({ length: 2 + (index % 2) }, (_, slot) => ({
    name: GOODS[(index + 3 * slot) % GOODS.length] ?? 'tea',
    price: 2 + ((index * 7 + slot * 5) % 19),
    count: 1 + ((index + slot) % 3),
  })),
}));

/** The cost of the bug: the first item of each order. */
const LOST = ORDERS.reduce((sum, { items: [first] }) => sum + (first ? first.price * first.count : 0), 0);

export const DEMO_FILES: Readonly<Record<string, string>> = {
  'total.mjs': `/** Adds up what a basket costs. */
export function total(items) {
  let sum = 0;
  for (let index = 1; index < items.length; index += 1) {
    sum += items[index].price * items[index].count;
  }
  return sum;
}
`,
  'total.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './total.mjs';

test('counts every item', () => {
  assert.equal(total([{ price: 3, count: 2 }, { price: 5, count: 1 }]), 11);
});
`,
  'stock.mjs': `/** Adds up what lies on the shelves. */
export function stock(shelves) {
  let sum = 0;
  for (let index = 0; index < shelves.length; index += 1) sum += shelves[index].count;
  return sum;
}
`,
  'orders.txt': ORDERS.map(
    ({ number, items }) =>
      `${number}: ${items.map(({ name, price, count }) => `${count} x ${name} at ${price}`).join(', ')}\n`,
  ).join(''),
  'CLAUDE.md': 'Small functions, tests beside them. Run the tests with `node --test`.\n',
};

export const PROMPTS = {
  first: 'Customers pay too little. Find out why, fix it, and see what it has cost us.',
  second: 'Write the release note.',
  third: 'Continue.',
} as const;

const FIX_LOOP = 'Fix the loop in total.mjs and prove it with the tests.';
const AUDIT = 'Go through orders.txt: how many orders were too cheap, and by how much in all?';
const SEARCH = 'See whether other code makes the same mistake.';
const NOTE = 'Write the release note to CHANGES.md.';

const BUG = 'let index = 1;';
const FIX = 'let index = 0;';
const TESTED = 'node --test passes';
/** In the real terminal you may say no. */
const DENIED = 'the person said no';
const UNTESTED = 'not tested, because you said no';
const TEST = { command: 'node --test', description: 'Run the tests' };
const COMMIT = {
  command: 'git add total.mjs && git commit -m "Count the first item, too"',
  description: 'Commit it',
};
const COMMITTED = { tool: 'Bash', text: /\[worktree-agent-\w+ (?<hash>\w+)\]/ };

function makeCue() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** Signals between the model and the demo. */
export type DemoCues = ReturnType<typeof makeCues>;

function makeCues() {
  return {
    /** The main agent has finished while the audit is running. */
    mainRests: makeCue(),
    /** The fork to be killed has written its file and waits for its next reply. */
    noteWaits: makeCue(),
  };
}

export function demoRules(repo: string): { readonly rules: readonly Rule[]; readonly cues: DemoCues } {
  const cues = makeCues();
  const total = '{{worktree}}/total.mjs';
  const fixed = { changed: 'total.mjs ({{hash}})' };
  const note = { file_path: `${repo}/CHANGES.md`, content: 'Totals count the first item of a basket again.\n' };
  const written = { tool: 'Write', error: false };
  const neverReplies = () => {
    cues.noteWaits.give();
    return new Promise<void>(() => {});
  };
  const rules = [
    // In its worktree: reads the file there again, fixes and tests it there, and commits.
    ...forkRules(FIX_LOOP, [
      { calls: ['Read', { file_path: total }], delayMs: 150 },
      { result: { tool: 'Read', text: BUG }, calls: ['Edit', { file_path: total, old_string: BUG, new_string: FIX }] },
      { result: { tool: 'Edit', error: false }, calls: ['Bash', TEST], delayMs: 500 },
      { result: { text: /pass 1\b[\s\S]*fail 0\b/ }, calls: ['Bash', COMMIT] },
      { result: { text: DENIED }, calls: ['Bash', COMMIT] },
      { result: COMMITTED, where: wasDenied, reports: `The loop starts at 0 now; ${UNTESTED}; committed.`, ...fixed },
      { result: COMMITTED, reports: `The loop starts at 0 now; ${TESTED}; committed.`, ...fixed },
    ]),
    // It ends only when no call waits for it, so that its notice wakes the main agent.
    ...forkRules(AUDIT, [
      { calls: ['Grep', { pattern: '^\\d+: ', path: `${repo}/orders.txt`, output_mode: 'count' }], delayMs: 450 },
      {
        result: { text: String(ORDERS.length) },
        reports: `All ${ORDERS.length} orders were too cheap, by ${LOST} in all.`,
        before: () => cues.mainRests.given,
      },
    ]),
    ...forkRules(SEARCH, [
      { calls: ['Grep', { pattern: 'let index = \\d', path: repo, output_mode: 'content' }], delayMs: 300 },
      { result: { text: 'stock.mjs' }, reports: 'No: the only other loop, in stock.mjs, starts at 0.' },
    ]),
    // The second reply never arrives, because the process is killed first. The resumed fork asks again and gets it.
    ...forkRules(NOTE, [
      { calls: ['Write', note] },
      { result: written, before: neverReplies, times: 1 },
      { result: written, reports: 'CHANGES.md describes the change in one line.', changed: 'CHANGES.md' },
    ]),
    ...mainRules(repo),
  ];
  return { rules, cues };
}

function wasDenied({ body }: SeenRequest): boolean {
  return JSON.stringify(body.messages).includes(DENIED);
}

function mainRules(repo: string): readonly Rule[] {
  const read = (name: string) => call('Read', { file_path: `${repo}/${name}` });
  const fork = (name: string, prompt: string, more: object = {}) =>
    call('Agent', { fork: true, name, description: prompt, prompt, ...more });
  const found = 'the mistake is nowhere else. The audit is still running.';
  return [
    {
      when: { user: PROMPTS.first },
      reply: [
        { thinking: 'The code, its test and the orders.' },
        ...['total.mjs', 'total.test.mjs', 'orders.txt'].map(read),
      ],
    },
    {
      when: { result: { tool: 'Read', text: BUG } },
      reply: [
        { thinking: 'Three things to do that need all this and not each other.' },
        'The loop starts at 1: the first item of every basket is free. Three forks do the rest; the one that fixes it has its own worktree.',
        fork('fix', FIX_LOOP, { isolation: 'worktree' }),
        fork('search', SEARCH),
        fork('audit', AUDIT, { run_in_background: true }),
      ],
    },
    {
      when: { result: { tool: 'Agent', text: TESTED } },
      reply: `Fixed, tested and committed on its own branch; ${found}`,
    },
    {
      when: { result: { tool: 'Agent', text: UNTESTED } },
      reply: `Fixed and committed on its own branch, but not tested; ${found}`,
    },
    {
      when: { user: /<task-notification>[\s\S]*All (?<count>\d+) orders were too cheap, by (?<lost>\d+)/ },
      reply: 'The audit is back: {{count}} orders were too cheap, {{lost}} in all.',
    },
    { when: { user: PROMPTS.second }, reply: [fork('note', NOTE)] },
    {
      when: { user: PROMPTS.third, result: { tool: 'Agent', text: 'CHANGES.md describes the change' } },
      reply: 'The note is in CHANGES.md: the report returned to the very call that was waiting for it.',
    },
  ];
}

type Step = Pick<When, 'where'> & {
  /** Omitted: the first step, which replies to the directive. */
  readonly result?: ResultPattern;
  readonly calls?: readonly [tool: string, input: object];
  readonly reports?: string;
  readonly changed?: string;
  readonly delayMs?: number;
  /** Awaited before the reply. */
  readonly before?: () => Promise<void>;
  readonly times?: number;
};

/** A fork's replies. `{{worktree}}` in them: the folder it was given, if any. */
function forkRules(directive: string, steps: readonly Step[]): readonly Rule[] {
  // The directive alone also appears in reports and notices.
  const given = new RegExp(
    `</fork-boilerplate>\\n\\n${directive.replace(/[.?]/g, '\\$&')}(?:[\\s\\S]*?(?<worktree>/[^\\s"]+/\\.claude/worktrees/agent-\\w+))?`,
  );
  return steps.map(({ result, where, calls, reports = '', changed = 'none', delayMs, before, times }) => ({
    when: { [result === undefined ? 'user' : 'said']: given, result, where },
    reply: async () => {
      await before?.();
      if (calls !== undefined) return [call(...calls)];
      return `Scope: ${directive}\nResult: ${reports}\nKey files: ${changed}\nFiles changed: ${changed}\nIssues: none`;
    },
    ...(delayMs === undefined ? {} : { delay: { firstMs: delayMs } }),
    times,
  }));
}

function call(tool: string, input: object): ReplyBlock {
  return { tool, input };
}
