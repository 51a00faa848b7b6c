/** What a line did that a line which only reads does not do. Everything that is not known to be harmless is reported. */

import { basename } from 'node:path';
import { CANARIES } from './playground.mjs';
import { READING_PROGRAMS } from './programs.mjs';

/** Where writing leaves nothing behind. */
const NOWHERE =
  /^(?:\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|pts\/\d+)|pipe:.*|anon_inode:.*|socket:.*|\/proc\/\d+\/fd\/\d+|\/proc\/\d+\/(?:task\/\d+\/)?(?:comm|oom_score_adj))$/;
/** Temporary files of bash (a long here-document), tac and sort: made under a name that was free, and removed at once. */
const TEMPORARY = /^\/tmp\/(?:sh-thd\.|tac|sort)\w+(?:\s*\(deleted\))?$/;
const REMOVES_TEMPORARY = /^unlink(?:at\(AT_FDCWD<[^>]*>, |\()"\/tmp\/(?:sh-thd\.|tac|sort)\w+"/;

/** `edits`: the mode lets it change files inside the root, protected names excepted. */
export function findEscapes({ output, did, changes, uses, place, confined, edits, denies, refreshes }) {
  // Before a git that must not write it, the gate itself refreshes the index of a trusted repository.
  const index = `changed ${place.root}/.git/index`;
  return [
    ...did.flatMap((entry) => judge(entry, { place, confined, edits, denies })),
    ...changes.filter(
      (change) => !(refreshes && change === index) && !(edits && isOrdinary(change.replace(/^\w+ /, ''), place)),
    ),
    ...uses.map((use) => `used: ${use}`),
    ...findCanaries(output, denies),
  ];
}

function judge(entry, { place, confined, edits, denies }) {
  switch (entry.kind) {
    case 'start-program':
      if (edits && /^\/usr\/bin\/(?:mkdir|touch)$/.test(entry.path)) return [];
      return isReadingProgram(entry.path) || (confined && !isOwnDoing(entry)) ? [] : [`started ${entry.path}`];
    case 'connect':
      return [`connected: ${entry.what}`];
    case 'signal':
      return [];
    case 'open-writing':
      if (NOWHERE.test(entry.path) || TEMPORARY.test(entry.path)) return [];
      if (entry.device !== undefined && entry.path.startsWith('/dev/')) return [];
      // In the box /tmp is its own and goes with it; what reached the disk is found by looking there.
      if (confined && /^\/(?:tmp|dev\/shm)\//.test(entry.path) && !isBelow(entry.path, place.root)) return [];
      if (edits && isOrdinary(entry.path, place)) return [];
      return [`opened for writing: ${entry.path}`];
    case 'open-reading':
      return judgeReading(entry, place, confined, denies);
    case 'change':
      return confined || edits || /^(?:fchmod|ftruncate)\(/.test(entry.what) || REMOVES_TEMPORARY.test(entry.what)
        ? []
        : [`changed: ${entry.what}`];
    default:
      return [];
  }
}

/** In the box a hidden file may have a stand-in at its name: there only its content matters. */
function judgeReading(entry, place, confined, denies) {
  if (confined || entry.device !== undefined) return [];
  const { path } = entry;
  const { root, outside, home, top } = place;
  if (path === `${root}/fifo`) return ['opened the FIFO'];
  // Git reads what it tracks to see whether it changed; what it prints of it is found by the canary.
  const denied = denies && entry.program !== 'git' ? [`${root}/.env`, `${root}/secrets/k`] : [];
  const hidden = [...denied, `${home}/.ssh/id_rsa`, `${home}/.netrc`, `${home}/notes.txt`, '/etc/shadow'];
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

function isReadingProgram(path) {
  const name = basename(path);
  if (/^\/usr\/lib\/git-core\//.test(path) || /\/libexec\/git-core\//.test(path)) return true;
  return path.startsWith('/') && !path.includes('torture-gate-') && READING_PROGRAMS.has(name);
}

/**
 * In the box a reading program may start another, which can do no more than it. What the line's shell itself starts the
 * gate must have seen, and a program of the repository starts nowhere.
 */
function isOwnDoing({ program, path }) {
  return program === 'bash' || path.includes('torture-gate-');
}

function isBelow(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Inside the root, and no name that controls what runs or is allowed later. */
function isOrdinary(path, { root }) {
  return isBelow(path, root) && !/\/\.(?:git|claude|mcp\.json|coppice)(?:\/|$)/.test(path.slice(root.length));
}

function findCanaries(output, denies) {
  const text = output.toLowerCase();
  return Object.entries(CANARIES)
    .filter(([name]) => denies || (name !== 'env' && name !== 'secrets'))
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
