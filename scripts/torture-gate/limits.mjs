/** What may be different after a line ran, by the profile it ran in. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_BRANCH } from './plant.mjs';

/** Names that control what runs or is allowed later. */
const PROTECTED =
  /^(?:\.git|\.gitmodules|\.gitconfig|\.mcp\.json|\.coppice|\.husky|\.githooks|lefthook\.yml|\.envrc|\.tool-versions|mise\.toml|\.cargo|\.pre-commit-config\.yaml|\.npmrc|\.vscode|\.bashrc|\.profile)$/;
/** What of a git folder decides which programs run. */
const STEERS_GIT =
  /\/\.git\/(?:(?:modules|worktrees)\/[^/]+\/)?(?:config|config\.worktree|hooks|commondir|gitdir)(?:\/|$)/;
const STEERS_US =
  /\/(?:\.claude\/(?:settings[^/]*|agents|hooks|commands|skills|plugins)|\.mcp\.json|\.gitmodules)(?:\/|$)/;
/** Of the home, no rule may lead there. */
const OF_HOME =
  /^\/(?:\.bashrc|\.profile|\.bash_profile|\.zshrc|\.ssh|\.gnupg|\.aws|\.npmrc|\.gitconfig|\.config\/git|\.config\/autostart|\.local\/bin)(?:\/|$)/;

/** True if a line that edits files may change this path. `git`: the folder of git that it stores files in, if it does. */
export function mayEdit(path, { top, locked, git }) {
  if (git !== undefined && isBelow(path, git)) return isOfStore(path.slice(git.length), !isBelow(git, top));
  if (!isBelow(path, top)) return false;
  const inside = path.slice(top.length);
  if (path === top || STEERS_US.test(inside)) return false;
  if (locked && /^\/(?:locked|secrets|\.env)(?:\/|$)/.test(inside)) return false;
  return !inside.split('/').some((name) => PROTECTED.test(name));
}

/** Objects and the index; of a worktree its own record and branch. */
function isOfStore(inside, isWorktree) {
  if (/^\/objects(?:\/|$)/.test(inside)) return true;
  if (!isWorktree) return /^\/index(?:\.lock)?$/.test(inside);
  return /^\/worktrees\/w\/(?:index|HEAD|ORIG_HEAD|COMMIT_EDITMSG|logs\/HEAD)(?:\.lock)?$/.test(inside);
}

/** What a rule's line must leave alone, of these changes. */
export function findGuarded(changes, { root, home, worktree, isWorktree, refs }) {
  const paths = changes.map((change) => [change, change.replace(/^\w+ /, '')]);
  const guarded = paths.filter(([, path]) => {
    if (isBelow(path, home)) return OF_HOME.test(path.slice(home.length));
    if (!isBelow(path, root)) return false;
    // A worktree's own record is git's to write.
    const inside = path.slice((isBelow(path, worktree) ? worktree : root).length);
    return STEERS_GIT.test(inside) || STEERS_US.test(inside) || (isWorktree && isOfCheckout(path, { root, worktree }));
  });
  const moved = isWorktree ? compareRefs(refs, readRefs(root)) : [];
  return [...guarded.map(([change]) => change), ...moved];
}

/** In the checkout, and not what every worktree writes of its git folder. */
function isOfCheckout(path, { root, worktree }) {
  if (isBelow(path, worktree)) return false;
  if (!isBelow(path, join(root, '.git'))) return true;
  return /^\/(?:index|HEAD|ORIG_HEAD|logs\/HEAD)$/.test(path.slice(root.length + '/.git'.length));
}

/** Every ref with its value, but the agent's own branch. Moving loose refs into one file changes none. */
export function readRefs(root) {
  const refs = new Map();
  const git = join(root, '.git');
  const read = (path) => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      return '';
    }
  };
  for (const row of read(join(git, 'packed-refs')).split('\n')) {
    const [, value, name] = /^([0-9a-f]{40}) (.+)$/.exec(row) ?? [];
    if (name !== undefined) refs.set(name, value);
  }
  const walk = (folder) => {
    for (const entry of readdirSync(join(git, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(name);
      else if (!name.endsWith('.lock')) refs.set(name, read(join(git, name)));
    }
  };
  try {
    walk('refs');
  } catch {
    return new Map([['refs', 'gone']]);
  }
  refs.delete(`refs/heads/${AGENT_BRANCH}`);
  return refs;
}

function compareRefs(before, after) {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => `changed the ref ${name}`);
}

export function isBelow(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}
