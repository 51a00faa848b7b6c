/**
 * One line from a seed: a construct of the grammar filled with reading commands, with mostly one odd thing in it. Most
 * odd things are harmless, so that the gate lets a good share through; a line that is asked about proves nothing.
 */

import { pickConstruct } from './constructs.mjs';
import { pickEnvironment } from './environments.mjs';
import { familyLine } from './lines/families.mjs';
import { ALLOWED } from './lines/rules.mjs';
import { folderPath, readablePath, targetPath } from './paths.mjs';
import { GADGETS, READERS } from './programs.mjs';
import { createChoices } from './random.mjs';
import { redirect } from './redirections.mjs';
import { runInWord, spell } from './words.mjs';
import { assign, wrapSimple, wrapText } from './wrappers.mjs';

/**
 * `free`: how often what a confined shell may do is used (loops, expansions); without a box that only asks. The places in
 * its text, and the folder it runs in, are still names.
 */
export function generateLine(seed, { free }) {
  const random = createChoices(seed);
  const made = familyLine(random) ?? grammarLine(random, free);
  const { allow = random.chance(0.06) ? [random.pick(ALLOWED)] : [] } = made;
  return {
    seed,
    text: made.text,
    tags: made.tags,
    folder: made.folder ?? '',
    mode: made.mode ?? pickMode(random),
    trusted: random.chance(0.6),
    /** Rules deny reading .env and secrets/, and changing locked/. */
    denies: made.denies ?? random.chance(0.6),
    /** A rule denies a program. */
    forbids: made.forbids ?? false,
    allow,
    environment: made.environment ?? pickEnvironment(random),
    worktree: made.worktree ?? false,
    /** Git has the denied files in its objects. */
    stored: made.stored ?? random.chance(0.7),
    /** A denied file has a second name. */
    hardLink: made.hardLink ?? false,
  };
}

function pickMode(random) {
  return random.weigh([
    [70, 'default'],
    [20, 'plan'],
    [10, 'acceptEdits'],
  ]);
}

function grammarLine(random, free) {
  const line = { random, free, tags: [], before: [], bodies: [], odd: new Map(), depth: 0 };
  const count = random.weigh([
    [15, 0],
    [60, 1],
    [20, 2],
    [5, 3],
  ]);
  for (let index = 0; index < count; index += 1) {
    const oddity = chooseOddity(random, free);
    line.odd.set(oddity, { dangerous: random.chance(oddity === 'gadget' ? 1 : oddity === 'path' ? 0.9 : 0.35) });
    line.tags.push(oddity);
  }
  const text = makeConstruct(line);
  const head = line.before.map((before) => `${before}\n`).join('');
  const tail = line.bodies.map((body) => `\n${body}`).join('');
  const folder = random.weigh([
    [90, ''],
    [6, '/src'],
    [2, '/sub'],
    [2, '/odd'],
  ]);
  return { text: `${head}${text}${tail}${tail === '' ? '' : '\n'}`, tags: line.tags, folder };
}

function chooseOddity(random, free) {
  const share = free ? 1 : 0.35;
  return random.weigh([
    [24, 'redirection'],
    [8, 'inner redirection'],
    [8, 'assignment'],
    [14 * share, 'word'],
    [8 * share, 'active word'],
    [10, 'wrapper'],
    [4 * share, 'shell'],
    [10, 'gadget'],
    [4, 'path'],
    [8, 'nesting'],
  ]);
}

/** Each oddity is used once, at the first place that can take it. */
function take(line, oddity) {
  const found = line.odd.get(oddity);
  line.odd.delete(oddity);
  return found;
}

function makeConstruct(line) {
  const [name, make] = pickConstruct(line.random, line.free ? 0.5 : 0.08);
  line.tags.push(`construct: ${name}`);
  const odd = take(line, 'redirection');
  const r = odd === undefined ? '' : attach(line, odd);
  return make({ c: () => makeCommand(line), w: () => makeWord(line), r });
}

function attach(line, { dangerous }) {
  const { random } = line;
  const made = redirect(random, {
    dangerous,
    oddWord: random.chance(line.free ? 0.15 : 0.05),
    inner: () => (dangerous ? gadget(line) : reader(line)),
  });
  note(line, made);
  return ` ${made.text}`;
}

function makeCommand(line) {
  const { random } = line;
  if (line.depth < 3 && take(line, 'nesting') !== undefined) {
    line.depth += 1;
    const nested = makeConstruct(line);
    line.depth -= 1;
    return random.chance(0.5) ? `{ ${nested}\n}` : `( ${nested}\n)`;
  }
  const simple = makeSimple(line);
  const shell = random.chance(0.7) ? take(line, 'shell') : undefined;
  if (shell === undefined) return simple;
  const wrapped = wrapText(random, shell.dangerous ? gadget(line) : simple);
  line.tags.push(wrapped.tag);
  return wrapped.text;
}

function makeSimple(line) {
  const { random } = line;
  let text = random.chance(0.7) && take(line, 'gadget') !== undefined ? gadget(line) : reader(line);
  const wrapper = random.chance(0.7) ? take(line, 'wrapper') : undefined;
  if (wrapper !== undefined) {
    const wrapped = wrapSimple(random, wrapper.dangerous ? gadget(line) : text);
    line.tags.push(wrapped.tag);
    text = wrapped.text;
  }
  const assignment = random.chance(0.7) ? take(line, 'assignment') : undefined;
  if (assignment !== undefined) {
    const made = assign(random, { ...assignment, value: () => makeWord(line) });
    line.tags.push(made.tag);
    text = `${made.text}${text}`;
  }
  const active = random.chance(0.7) ? take(line, 'active word') : undefined;
  if (active !== undefined) {
    const made = runInWord(random, active.dangerous ? gadget(line) : reader(line));
    line.tags.push(made.tag);
    text = `${text} ${made.text}`;
  }
  const inner = random.chance(0.7) ? take(line, 'inner redirection') : undefined;
  return inner === undefined ? text : `${text}${attach(line, inner)}`;
}

function reader(line) {
  const template = line.random.pick(READERS);
  return template
    .replaceAll('%f', () => makePath(line, readablePath))
    .replaceAll('%d', () => makePath(line, folderPath));
}

function gadget(line) {
  const { random } = line;
  const written = random.pick(GADGETS);
  line.tags.push(`gadget: ${written}`);
  return written
    .replaceAll('%f', () => readablePath(random, false).replace(/.* .*/, 'README.md'))
    .replaceAll('%o', () => targetPath(random, true));
}

function makePath(line, choose) {
  const { random } = line;
  const dangerous = random.chance(0.5) && take(line, 'path') !== undefined;
  const odd = random.chance(0.6) && take(line, 'word') !== undefined;
  const word = spell(random, choose(random, dangerous), odd);
  if (odd) note(line, word);
  return word.text;
}

function makeWord(line) {
  return makePath(line, readablePath);
}

function note(line, made) {
  line.tags.push(made.tag);
  // What bash must know before it reads the line stands on its own line.
  if (made.before !== undefined) line.before.push(made.before);
  if (made.body !== undefined) line.bodies.push(made.body);
}
