/**
 * Compiles the code samples of README.md, docs/ and examples/ under strict TypeScript, in one program, as a reader's
 * project would: `coppice` and `coppice/sim` are the sources. Prints each error at its line of the page.
 * `node scripts/check-samples.mjs PAGE…` compiles the samples of these pages alone.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { extractSamples } from './extract-samples.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const stage = mkdtempSync(join(tmpdir(), 'coppice-samples-'));
try {
  const given = process.argv.slice(2);
  const samples = given.length > 0 ? samplesOf(given) : [...samplesOf(allPages()), ...examples()];
  for (const { file, text } of samples) {
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    writeFileSync(join(stage, file), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(stage, 'node_modules'));
  writeFileSync(join(stage, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify(tsconfig()));
  const tsc = join(ROOT, 'node_modules/typescript7/bin/tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: stage, encoding: 'utf8' });
  process.stdout.write(atPages(`${run.stdout}${run.stderr}`, samples));
  process.exitCode = run.status === 0 && samples.length > 0 ? 0 : 1;
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function allPages() {
  const inDocs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...inDocs.map((name) => join('docs', name))];
}

function samplesOf(pages) {
  return pages.flatMap((page) =>
    extractSamples(readFileSync(resolve(ROOT, page), 'utf8')).map(({ folder, text }, index) => ({
      page,
      file: join(folder, `${page.replaceAll('/', '-')}-${index + 1}.ts`),
      text,
    })),
  );
}

function examples() {
  const names = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.mjs'));
  const files = names.map((name) => join('examples', name));
  return files.map((file) => ({ page: file, file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

function tsconfig() {
  const source = (path) => [join(ROOT, 'src', path)];
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      // Each sample is its own module, also one without an import.
      moduleDetection: 'force',
      // A sample that shows where it would be imports what is next to it.
      rootDirs: [stage, ROOT],
      paths: { coppice: source('index.ts'), 'coppice/sim': source('sim/index.ts') },
    },
    include: [join(stage, '**/*.ts'), join(stage, '**/*.mjs')],
    exclude: [join(stage, 'node_modules')],
  };
}

/** `docs-library.md-2.ts(291,5)` is line 291 of docs/library.md. */
function atPages(output, samples) {
  return samples.reduce((text, { file, page }) => text.replaceAll(`${file}(`, `${page}(`), output);
}
