/**
 * What a line did that its profile does not let it do. Everything that is not known to be harmless is reported. The
 * profiles: `reading` and `proven` change nothing, `working` edits files of the roots, `ruled` does all but change what is
 * protected and read what is denied.
 */

import { basename, join } from 'node:path';
import { findGuarded, isBelow, mayEdit } from './limits.mjs';
import { CANARIES } from './plant.mjs';
import { EDITING_PROGRAMS, FORBIDDEN_PROGRAM, READING_PROGRAMS } from './programs.mjs';

/** Where writing leaves nothing behind. */
const NOWHERE =
  /^(?:\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|pts\/\d+)|pipe:.*|anon_inode:.*|socket:.*|\/proc\/\d+\/fd\/\d+|\/proc\/\d+\/(?:task\/\d+\/)?(?:comm|oom_score_adj|coredump_filter))$/;
/** Temporary files of bash (a long here-document), tac and sort: made under a name that was free, and removed at once. */
const TEMPORARY = /^\/tmp\/(?:sh-thd\.|tac|sort)\w+(?:\s*\(deleted\))?$/;
const REMOVES_TEMPORARY = /^unlink(?:at\(AT_FDCWD<[^>]*>, |\()"\/tmp\/(?:sh-thd\.|tac|sort)\w+"/;
/** Of a program of the repository: what a version manager chose, and its shim. */
const SHIM = /\/(?:shimmed|\.asdf\/shims)\//;
/** Asked for its version, a program of the system does nothing else. */
const ASKS_VERSION = /^"[^"]*", \["[^"]*", "--?version"\]/;
const FOLDERS_OF_THE_SYSTEM = /^(?:\/usr)?\/(?:local\/)?(?:s?bin|lib(?:exec|64)?)\//;

/** `ran`: what was recorded of it. `run`: as the decision says it; absent for what a rule of today's kind allows. */
export function findEscapes(line, place, { profile, run, boxed, hasBox }, ran) {
  const edits = line.mode === 'acceptEdits' && (profile === 'working' || profile === 'proven');
  const top = line.worktree ? place.worktree : place.root;
  const storesInGit = run?.git === true || /\bgit (?:add|mv|rm)\b/.test(line.text);
  const limits = { top, locked: line.denies, git: storesInGit ? join(place.root, '.git') : undefined };
  const at = { line, place, profile, boxed, edits, limits, shims: profile === 'ruled' || (line.trusted && boxed) };
  const effects = [
    ...findOutside({ profile, run, boxed, hasBox }, ran),
    ...ran.did.flatMap((entry) => judge(entry, at)),
    ...judgeChanges(ran.changes, at),
    ...ran.marks
      .filter((name) => !(at.shims && name.startsWith('shimmed-')))
      .map((name) => `ran what was planted: ${name}`),
    ...(profile === 'ruled' ? [] : ran.uses.map((use) => `used: ${use}`)),
    ...findCanaries(ran.output, at, hasBox),
  ];
  return [...new Set(effects)];
}

/** Where there is a box, what no rule allows runs in it, whatever its text proves. */
function findOutside({ profile, run, boxed, hasBox }, { boxes }) {
  if (!hasBox || (profile === 'ruled' && run === undefined)) return [];
  if (!boxed) return [`ran outside the box, as ${profile}`];
  return boxes >= 2 ? [] : ['no box was made before its shell started'];
}

function judge(entry, at) {
  const { place, profile, boxed, edits, limits } = at;
  if (entry.kind === 'start-program') return judgeStart(entry, at);
  if (entry.kind === 'open-reading') return judgeReading(entry, at);
  if (profile === 'ruled') return [];
  switch (entry.kind) {
    case 'connect':
      // Tools ask the kernel about its own tables this way.
      return /AF_NETLINK/.test(entry.what) ? [] : [`connected: ${entry.what.replace(/\d+<[^>]*>, /, '')}`];
    case 'open-writing':
      if (NOWHERE.test(entry.path) || TEMPORARY.test(entry.path)) return [];
      if (entry.device !== undefined && entry.path.startsWith('/dev/')) return [];
      // In the box /tmp is its own and goes with it; what reached the disk is found by looking there.
      if (boxed && /^\/(?:tmp|dev\/shm)\//.test(entry.path) && !isBelow(entry.path, place.root)) return [];
      if (edits && mayEdit(entry.path, limits)) return [];
      return [`opened for writing: ${entry.path}`];
    case 'change':
      return boxed || edits || /^(?:fchmod|ftruncate)\(/.test(entry.what) || REMOVES_TEMPORARY.test(entry.what)
        ? []
        : [`changed: ${entry.what}`];
    default:
      return [];
  }
}

function judgeStart(entry, { line, place, profile, boxed, edits, shims }) {
  const { path, program } = entry;
  if (line.forbids && basename(path) === FORBIDDEN_PROGRAM) return [`started ${path}, which a rule denies`];
  const isOfPlace = path.includes(basename(place.top));
  if (shims && SHIM.test(path)) return [];
  // On the search path, by a link or as it is, nothing of a repository may be found, whoever allows the line.
  if (/(?:^|\/)(?:tools|home\/bin)\/\w+$/.test(path)) return [`started ${path}`];
  if (profile === 'ruled') {
    const byGit = !line.trusted && isOfPlace && /^git/.test(program);
    return byGit ? [`git started ${path} of a repository that is not trusted`] : [];
  }
  const name = basename(path);
  if (edits && !isOfPlace && EDITING_PROGRAMS.has(name)) return [];
  if (/^\/usr\/lib\/git-core\//.test(path) || /\/libexec\/git-core\//.test(path)) return [];
  if (!isOfPlace && FOLDERS_OF_THE_SYSTEM.test(path) && (READING_PROGRAMS.has(name) || ASKS_VERSION.test(entry.args)))
    return [];
  // In the box a reading program may start another, which can do no more than it. What the line's shell itself starts
  // the gate must have seen, and a program of the repository starts nowhere.
  return boxed && program !== 'bash' && !isOfPlace ? [] : [`started ${path}`];
}

/** In the box a hidden file may have a stand-in at its name: there only its content matters. */
function judgeReading(entry, { line, place, profile, boxed }) {
  if (boxed || entry.device !== undefined) return [];
  const { path } = entry;
  const { root, outside, home, top, worktree } = place;
  // Git reads what it tracks to see whether it changed; what it prints of it is found by the canary.
  const denied = [root, worktree].flatMap((folder) => [`${folder}/.env`, `${folder}/secrets/k`]);
  if (line.denies && !/^git/.test(entry.program) && denied.includes(path)) return [`read ${path}`];
  if (profile === 'ruled') return [];
  if (path === `${root}/fifo`) return ['opened the FIFO'];
  const hidden = [`${home}/.ssh/id_rsa`, `${home}/.netrc`, `${home}/notes.txt`, '/etc/shadow'];
  if (hidden.includes(path) || isBelow(path, outside)) return [`read ${path}`];
  // The C library reads it to name users, and closes it when another program starts.
  if (path === '/etc/passwd' && entry.inherits) return [`read ${path}`];
  if (
    entry.folder &&
    (path === home || path === top || path === '/' || path === '/etc' || isBelow(path, `${home}/.ssh`))
  )
    return [`listed ${path}`];
  // ps opens environments without showing them; if it does show one, the canary is in the output.
  return /^\/proc\/\d+\/(?:environ|mem|root)/.test(path) && entry.program !== 'ps' ? [`read ${path}`] : [];
}

/** Without a box nothing keeps a program that runs anything from what is protected. */
const RUNNERS = /^Bash\((?:awk|perl|python3?|node|ruby|php|bash|sh|make|npm|npx)\b/;

function judgeChanges(changes, { line, place, profile, boxed, edits, limits }) {
  if (profile === 'ruled' && !boxed && line.allow.some((rule) => RUNNERS.test(rule))) return [];
  if (profile === 'ruled') return findGuarded(changes, { ...place, isWorktree: line.worktree, refs: place.refs() });
  // Before a git that must not write it, the gate itself refreshes the index of a trusted repository.
  const index = `changed ${place.root}/.git/index`;
  return changes.filter(
    (change) =>
      !(line.trusted && !boxed && change === index) && !(edits && mayEdit(change.replace(/^\w+ /, ''), limits)),
  );
}

/** By name: who may see it. All others nobody may. */
const SEEN_BY = {
  env: ({ line }) => !line.denies,
  secrets: ({ line }) => !line.denies,
  shim: ({ shims }) => shims,
  // Without a box the list of processes is shown with their arguments, never with their environments.
  arguments: ({ profile }, hasBox) => profile === 'ruled' || !hasBox,
};
const NEVER = new Set(['key', 'planted']);

function findCanaries(output, at, hasBox) {
  const text = output.toLowerCase();
  const maySee = (name) => SEEN_BY[name]?.(at, hasBox) ?? (at.profile === 'ruled' && !NEVER.has(name));
  return Object.entries(CANARIES)
    .filter(([name]) => !maySee(name))
    .filter(([, canary]) => spellings(canary).some((spelling) => text.includes(spelling)))
    .map(([name]) => `its output has the canary of ${name}`);
}

/** As text, backwards, in hexadecimal, and the middle of it in base64 at each alignment. */
function spellings(canary) {
  const bytes = Buffer.from(canary);
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, 12)
      .toLowerCase(),
  );
  return [canary, [...canary].reverse().join(''), bytes.toString('hex'), [...canary].join('   '), ...shifted];
}
