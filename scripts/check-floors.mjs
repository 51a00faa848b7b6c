/** Checks floors and cycles. Asserts the number of modules, so that a run that checked nothing fails. */

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const { output } = await cruise(
  ['src'],
  { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
  undefined,
  { tsConfig: extractTsConfig('tsconfig.json') },
);
const seen = output.modules.filter((module) => module.source.startsWith('src/')).length;
const problems = [...output.summary.violations.map(describe), ...unknownRooms(), ...unseenFiles(seen)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`floors: ${seen} modules, ${output.summary.totalCruised} in all, no violation`);

function describe(violation) {
  const path = violation.cycle?.map((step) => step.name).join(' → ') ?? violation.to;
  return `${violation.rule.name}: ${violation.from} → ${path}`;
}

/** Rooms without a floor: no rule would apply to them. */
function unknownRooms() {
  return readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !config.rooms.includes(entry.name))
    .map(({ name }) => `src/${name} has no floor: name it in .dependency-cruiser.cjs`);
}

function unseenFiles(count) {
  const files = readdirSync('src', { recursive: true }).filter((name) => /\.tsx?$/.test(String(name)));
  return count < files.length ? [`Only ${count} of ${files.length} source files were checked.`] : [];
}
