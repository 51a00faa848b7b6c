/**
 * npm run spec: lists the rules of the specification that no test title of `npm test` names. The specification is next to the clone
 * (../shared/spec); test/spec-ids.txt contains its ids for a clone without it.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SPEC = '../shared/spec';
/** Tests that `npm test` leaves out. */
const LONG = join('test', 'long', '/');
const KEPT = 'test/spec-ids.txt';
/** Planned for later (teams.md and remote.md): counted, but not reported as missing. */
const LATER = /^(TM|RM)-/;
const ID = /\b[A-Z]{2}-\d+\b/g;

const ids = existsSync(SPEC) ? readSpec() : readKept();
const named = new Set(readTitles().flatMap((title) => title.match(ID) ?? []));
report(
  'rules',
  ids.filter((id) => !LATER.test(id)),
);
const later = ids.filter((id) => LATER.test(id));
console.log(`Planned for later (TM, RM): ${later.filter((id) => named.has(id)).length} of ${later.length}.`);
const rooms = new Set(ids.map((id) => id.slice(0, 2)));
const unknown = [...named].filter((id) => rooms.has(id.slice(0, 2)) && !ids.includes(id));
if (unknown.length > 0) {
  console.log(`Named, but not a rule: ${unknown.join(' ')}`);
  process.exitCode = 1;
}

function report(what, wanted) {
  const missing = wanted.filter((id) => !named.has(id));
  console.log(`${wanted.length - missing.length} of ${wanted.length} ${what} are named by a test.`);
  if (missing.length > 0) console.log(`Not named: ${missing.join(' ')}`);
}

/** A rule starts with its id in bold: `- **FK-3** …`. */
function readSpec() {
  const found = readdirSync(SPEC)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readFileSync(join(SPEC, name), 'utf8').matchAll(/\*\*([A-Z]{2}-\d+)\*\*/g)])
    .map(([, id]) => id);
  const sorted = [...new Set(found)].sort(compareIds);
  const text = `${sorted.join('\n')}\n`;
  if (text !== readFileSync(KEPT, 'utf8')) writeFileSync(KEPT, text);
  return sorted;
}

function readKept() {
  return readFileSync(KEPT, 'utf8').match(ID) ?? [];
}

function compareIds(a, b) {
  return a.slice(0, 2) < b.slice(0, 2) ? -1 : a.slice(0, 2) > b.slice(0, 2) ? 1 : a.slice(3) - b.slice(3);
}

function readTitles() {
  return readdirSync('test', { recursive: true })
    .map((name) => join('test', String(name)))
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith(LONG))
    .flatMap((path) => titlesOf(path, readFileSync(path, 'utf8')));
}

/** The first argument of `it`, `test` and `describe`, in all their forms (`it.each(rows)('…')`). */
function titlesOf(path, text) {
  const titles = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.arguments[0] !== undefined && isTest(node.expression)) {
      titles.push(node.arguments[0].getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return titles;
}

function isTest(called) {
  if (ts.isIdentifier(called)) return ['it', 'test', 'describe'].includes(called.text);
  return (ts.isPropertyAccessExpression(called) || ts.isCallExpression(called)) && isTest(called.expression);
}
