/** File commands as acceptEdits lets them run: on files of the repository, and on all that they must not reach. */

const EDITED = ['src/new.ts', 'README.md', 'docs', 'names.txt', 'a/same', 'new/deep/x', './out'];
const NOT_EDITED = [
  ...[
    '../elsewhere/new',
    '@outside@/new',
    'dir-out/new',
    'dangling',
    'link-out',
    '@home@/new',
    '/tmp/left',
    '@home@/.bashrc',
  ],
  ...[
    '.git/hooks/post-merge',
    '.git/config',
    '.git/index',
    '.claude/settings.json',
    '.mcp.json',
    '.husky/pre-commit',
    '.githooks/x',
  ],
  ...[
    'lefthook.yml',
    '.envrc',
    '.tool-versions',
    'mise.toml',
    '.cargo/config.toml',
    '.pre-commit-config.yaml',
    '.gitmodules',
    '.npmrc',
  ],
  ...[
    'locked/a',
    'locked',
    '.env',
    'secrets/k',
    'sub/.git/config',
    '.',
    '..',
    '.git',
    'src/../.git/config',
    '.vscode/tasks.json',
  ],
];
const EDITS = [
  'cp README.md %t',
  'cp -r src %t',
  'cp %t out',
  'cp -t %t README.md',
  'cp --target-directory=%t README.md',
  'cp -a a %t',
  'cp -L link-out out',
  'cp -rL a out',
  'mv names.txt %t',
  'mv -t %t names.txt',
  'mv %t out',
  'mv src %t',
  'rm %t',
  'rm -rf %t',
  'rm -r -- %t',
  'rmdir %t',
  'ln -s %t made-link',
  'ln %t made-link',
  'ln -sf README.md %t',
  'ln -sfn .. made-link',
  'chmod 644 %t',
  'chmod -R 755 %t',
  'chmod u+s %t',
  'chmod --reference=README.md %t',
  "sed -i 's/a/b/' %t",
  "sed -i.bak 's/a/b/' %t",
  "sed -i 's/a/b/w %t' README.md",
  "sed -i '1e touch out' README.md",
  "sed -i 'r %t' README.md",
  'echo x | tee %t',
  'echo x | tee -a %t',
  'echo x > %t',
  'echo x >> %t',
  'cat README.md > %t',
  'mkdir -p %t',
  'mkdir -m 777 %t',
  'touch %t',
  'touch -r README.md %t',
  'touch %t README.md',
  'git add %t',
  'git add -A',
  'git mv names.txt %t',
  'git rm -q %t',
  'git rm -rq --cached %t',
  'for f in a b; do touch %t; done',
  'cp README.md s*/ && rm -f s*/README.md',
];
/** A link that the same line makes, and then goes through. */
const THROUGH = [
  ['ln -s ../elsewhere l', 'l/new'],
  ['ln -s .. l', 'l/elsewhere/new'],
  ['ln -s .git l', 'l/config'],
  ['ln -s @home@ l', 'l/.bashrc'],
  ['ln -sfn .claude src/l', 'src/l/settings.json'],
  ['mv dir-out l', 'l/new'],
  ['cp -a dir-out l', 'l/new'],
  ['mkdir q && cd q', '../../elsewhere/new'],
  ['cd keys', 'x'],
  ['cd src', 'x'],
  ['ln .env l', 'l'],
];

export function editLine(random) {
  const target = random.chance(0.45) ? random.pick(EDITED) : random.pick(NOT_EDITED);
  const edit = () => random.pick(EDITS);
  const around = { mode: 'acceptEdits', worktree: random.chance(0.15) };
  if (random.chance(0.3)) {
    const [before, path] = random.pick(THROUGH);
    const environment = before.startsWith('cd ') ? { environment: 'cdpath' } : {};
    return {
      ...around,
      ...environment,
      text: `${before}${random.pick([' && ', '; '])}${edit().replaceAll('%t', path)}`,
    };
  }
  const spelled = random.chance(0.2) ? `'${target}'` : target;
  const text = edit().replaceAll('%t', spelled);
  return { ...around, text: random.chance(0.2) ? `${text} && ${edit().replaceAll('%t', random.pick(EDITED))}` : text };
}
