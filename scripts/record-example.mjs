/** Records the session of examples/tested-project again, from its scenario: after a change of prompts or tools. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLE = join(ROOT, 'examples', 'tested-project');
const RECORDING = join('test', 'review.recording.jsonl');

const copy = mkdtempSync(join(tmpdir(), 'coppice-example-'));
try {
  cpSync(EXAMPLE, copy, { recursive: true });
  mkdirSync(join(copy, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(copy, 'node_modules', 'coppice'));
  const { ANTHROPIC_API_KEY: _, ...env } = process.env;
  execFileSync(process.execPath, [join('test', 'record.mjs')], { cwd: copy, env, stdio: 'inherit' });
  copyFileSync(join(copy, RECORDING), join(EXAMPLE, RECORDING));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
