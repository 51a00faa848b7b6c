/** What the pictures show: a project, what the simulated model says, what is typed, and when a picture is taken. */

const SESSION_TS = `import { sign } from './sign.js';

export function startSession(user, response) {
  const token = sign(user.id, user.role);
  response.setHeader('Set-Cookie', token);
  response.setHeader('Set-Cookie', token + '; Secure');
  return token;
}
`;

const SHOP = {
  'src/session.ts': SESSION_TS,
  'src/sign.ts': 'export const sign = (...parts: string[]) => parts.join(".");\n',
  'src/legacy/cookies.ts': '// Nothing of it is used any more.\n',
  'check.mjs': "console.log('12 checks, all passed');\n",
  'CLAUDE.md': 'Small functions, tests next to them.\n',
};

const OLD = "  response.setHeader('Set-Cookie', token);\n  response.setHeader('Set-Cookie', token + '; Secure');\n";
const NEW = "  response.appendHeader('Set-Cookie', token + '; Secure; HttpOnly');\n";

const ANSWER = `The second \`setHeader\` replaced the first, so that the flags depended on the order. There is **one** cookie now:

\`\`\`ts
const token = startSession(user, response);
if (token === undefined) throw new Error('no session');
\`\`\`

| flag | before | now |
|---|---|---|
| Secure | sometimes | always |
| HttpOnly | never | always |`;

const conversation = {
  takes: ['conversation'],
  files: SHOP,
  rules: (folder) => [
    {
      when: { user: 'The session cookie' },
      reply: [
        { thinking: 'The header is set in two places.' },
        'I look at how a session begins.',
        { tool: 'Read', input: { file_path: `${folder}/src/session.ts` } },
      ],
    },
    {
      when: { result: { tool: 'Read' } },
      reply: [{ tool: 'Edit', input: { file_path: `${folder}/src/session.ts`, old_string: OLD, new_string: NEW } }],
    },
    { when: { result: { tool: 'Edit', error: false } }, reply: ANSWER },
  ],
  run: async ({ start, until, type, press }, take) => {
    await start(['--permission-mode', 'acceptEdits']);
    await until(/\? keys$/m);
    type('The session cookie loses its flags. Fix it, and show me how to call it.');
    press('enter');
    await until(/HttpOnly +.*always/);
    take('conversation', { title: 'A conversation: a call, an edit as a diff, code and a table' });
  },
};

const FORKS = [
  { name: 'fix', prompt: 'Fix the cookie in src/session.ts and prove it.', isolation: 'worktree' },
  { name: 'search', prompt: 'See whether other code sets a cookie.' },
  { name: 'docs', prompt: 'Say in the docs which flags the cookie has.', run_in_background: true },
];
const directed = ({ prompt }) => `</fork-boilerplate>\n\n${prompt}`;
const [MEND, SEARCH, DOCS] = FORKS.map(directed);
const report = (scope, result, changed = 'none') =>
  `Scope: ${scope}\nResult: ${result}\nKey files: ${changed}\nFiles changed: ${changed}\nIssues: none`;
const never = () => new Promise(() => {});

/** The folder that the fork works in. */
function worktreeIn({ body }) {
  return /\/[^\s"]+\/\.claude\/worktrees\/agent-\w+/.exec(JSON.stringify(body.messages))?.[0] ?? '/nowhere';
}

const agents = {
  takes: ['tree', 'agent', 'diff', 'compare'],
  files: SHOP,
  rules: (folder) => [
    {
      when: { user: MEND },
      reply: (request) => [{ tool: 'Read', input: { file_path: `${worktreeIn(request)}/src/session.ts` } }],
    },
    {
      when: { said: MEND, result: { tool: 'Read' } },
      reply: (request) => [
        'One cookie, with both flags.',
        {
          tool: 'Edit',
          input: { file_path: `${worktreeIn(request)}/src/session.ts`, old_string: OLD, new_string: NEW },
        },
      ],
    },
    {
      when: { said: MEND, result: { tool: 'Edit', error: false } },
      reply: [{ tool: 'Bash', input: { command: 'node check.mjs', description: 'Run the checks' } }],
    },
    {
      when: { said: MEND, result: { tool: 'Bash', text: 'all passed' } },
      reply: report('src/session.ts', 'There is one cookie now; the checks pass.', 'src/session.ts'),
    },
    {
      when: { user: SEARCH },
      reply: [{ tool: 'Grep', input: { pattern: 'Set-Cookie', path: folder, output_mode: 'content' } }],
    },
    {
      when: { said: SEARCH, result: { tool: 'Grep' } },
      reply: report('other cookies', 'No: only src/session.ts sets one.'),
    },
    { when: { user: DOCS }, reply: never },
    {
      when: { user: 'The session cookie' },
      reply: [
        'The header is set twice. Three forks do the rest; the one that edits has a worktree of its own.',
        ...FORKS.map((fork) => ({ tool: 'Agent', input: { fork: true, description: fork.prompt, ...fork } })),
      ],
    },
    {
      when: { result: { tool: 'Agent', text: 'the checks pass' } },
      reply: 'Fixed and checked in a worktree; nothing else sets a cookie. The docs are still being written.',
    },
  ],
  run: async ({ start, until, type, press, pause }, take) => {
    await start(['--permission-mode', 'acceptEdits']);
    await until(/\? keys$/m);
    type('The session cookie loses its flags. Fix it, check for others, document it.');
    press('enter');
    await until(/fix .* asks$[\s\S]*search .*✓|✓ search[\s\S]*^fix .* asks$/m);
    type('and then the chang');
    await until(/and then the chang/);
    take('tree', { title: 'Three forks: one asks for permission while you keep typing' });
    press('ctrl+u');
    await pause();
    press('1');
    await until(/still being\s+written/);
    press('down', 'down', 'down', 'enter');
    await until(/^fix · fork[\s\S]*Issues: none/m);
    take('agent', { title: 'The page of an agent: its head, its transcript, its keys', cursor: false });
    press('esc');
    await until(/^ *agents 3/m);
    press('d');
    await until(/^\+.*appendHeader/m);
    take('diff', { title: 'The changes of an agent in its worktree', cursor: false });
    press('q');
    await until(/^ *agents 3/m);
    press(' ', 'up', ' ', '=');
    await until(/^2 agents compared/m);
    take('compare', { title: 'Two agents side by side', cursor: false });
  },
};

const PAST = [
  'Which tests are slow, and why?',
  'Explain how a session begins.',
  'Rename sign to signToken everywhere.',
  'Write the release note of 1.4.',
];

const resume = {
  takes: ['resume'],
  files: SHOP,
  rules: () => [
    {
      when: { user: 'release note' },
      reply: 'The release note is in CHANGES.md: one cookie, with both flags, in every browser.',
    },
    ...PAST.map((user) => ({ when: { user }, reply: 'Done.' })),
  ],
  run: async ({ start, until, press, print }, take) => {
    for (const prompt of PAST) await print('-p', prompt);
    await start(['--resume']);
    await until(/Explain how a session begins/);
    press(' ');
    await until(/in every browser/);
    take('resume', { title: 'The list of sessions to resume, with a preview', cursor: false });
  },
};

export const SCENES = [conversation, agents, resume];
