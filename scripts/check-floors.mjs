/** Floors and cycles, with the number of modules asserted: a tool that looked at nothing must not pass. */

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const require = createRequire(import.meta.url);
const config = require('../.dependency-cruiser.cjs');
const files = readdirSync('src', { recursive: true }).filter((name) => /\.tsx?$/.test(String(name)));

const { output } = await cruise(
  ['src'],
  { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
  undefined,
  { tsConfig: extractTsConfig('tsconfig.json') },
);
const { violations, totalCruised } = output.summary;
for (const violation of violations) {
  const way = violation.cycle?.map((step) => step.name).join(' → ') ?? violation.to;
  console.error(`${violation.rule.name}: ${violation.from} → ${way}`);
}
const seen = output.modules.filter((module) => module.source.startsWith('src/')).length;
if (seen < files.length) {
  console.error(`Only ${seen} of ${files.length} source files were looked at.`);
  process.exit(1);
}
if (violations.length > 0) process.exit(1);
console.log(`floors: ${seen} modules, ${totalCruised} in all, no violation`);
