/** npm run spec: which rules of the specification no test names in its title. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ids = readFileSync('test/spec-ids.txt', 'utf8')
  .split(/\s+/)
  .filter((id) => /^[A-Z]{2}-\d+$/.test(id));
const titles = readdirSync('test', { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap(
    (name) =>
      readFileSync(join('test', name), 'utf8').match(
        /\b(?:it|test|describe)(?:\.each\([\s\S]*?\))?\(\s*(['"`])[\s\S]*?\1/g,
      ) ?? [],
  );
const named = new Set(titles.flatMap((title) => title.match(/\b[A-Z]{2}-\d+\b/g) ?? []));
const missing = ids.filter((id) => !named.has(id));
const unknown = [...named].filter((id) => !ids.includes(id) && /^(AG|FK|LC|GT|DU|WT|ME|MC|EX|SF)-/.test(id));
console.log(`${ids.length - missing.length} of ${ids.length} rules are named by a test.`);
if (missing.length > 0) console.log(`Not named: ${missing.join(' ')}`);
if (unknown.length > 0) {
  console.log(`Named, but no rule: ${unknown.join(' ')}`);
  process.exitCode = 1;
}
