/** The package's doors: what package.json exports is built, loads, and offers the names the docs promise. */

import { existsSync, readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

process.argv.push('--types');
await import('./build.mjs');

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { messages } = await publint({ strict: true });
const problems = messages.map((message) => formatMessage(message, manifest) ?? message.code);
const PROMISED = {
  '.': ['createSession', 'defineTool', 'text'],
  './sim': ['startSim', 'checkRequest', 'parseScenario', 'builtInScenarios'],
};
for (const [door, names] of Object.entries(PROMISED)) {
  const target = manifest.exports[door];
  for (const file of Object.values(target)) if (!existsSync(file)) problems.push(`${door}: ${file} is not built`);
  const module = await import(`../${target.import}`);
  for (const name of names) if (!(name in module)) problems.push(`${door} does not export ${name}`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
