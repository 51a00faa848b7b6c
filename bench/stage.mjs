/** The setup for measuring: its own home and project, and functions to run the program and the floors there. */

import { spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSim } from '../dist/sim.mjs';

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

export async function setStage() {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'coppice-bench-')));
  const project = join(scratch, 'project');
  const home = join(scratch, 'home');
  await writeFile(join(scratch, 'package.json'), '{"type":"module"}');
  await mkdir(project);
  await mkdir(home);
  const templateFile = join(scratch, 'template.json');
  const stage = {
    scratch,
    project,
    home,
    /** The command of a floor script. */
    floor: (name, ...args) => [fileURLToPath(new URL(`floors/${name}.mjs`, import.meta.url)), ...args],
    program: (...args) => [PROGRAM, ...args],
    templateFile,
    /** The program without its compile cache, each time. */
    neverRunProgram: async (...args) => [await installProgram(join(scratch, 'dist')), ...args],
    unwritableProgram: () => makeUnwritable(stage),
    /** Starts a Node process, `as` another person. `ended` resolves with its output when it exits with 0. */
    start: (args, simUrl, as) => startNode(args, { project, home, simUrl, ...as }),
    write: (name, content) => writeFile(join(project, name), content),
    close: async () => {
      await chmod(join(scratch, 'installed'), 0o755).catch(() => {});
      await rm(scratch, { recursive: true, force: true });
    },
  };
  const template = await captureTemplate(stage);
  await writeFile(templateFile, JSON.stringify(template));
  return { ...stage, template };
}

/** A copy of the program that can't be written to. The user root may write anywhere, so another one runs it. */
async function makeUnwritable(stage) {
  const installed = join(stage.scratch, 'installed');
  const program = await installProgram(installed);
  await chmod(installed, 0o555);
  const home = join(stage.scratch, 'other-home');
  await mkdir(home);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(stage.scratch, 0o755);
    await chown(home, NOBODY, NOBODY);
  }
  const as = { home, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  return (...args) => ({ args: [program, ...args], as });
}

const NOBODY = 65_534;

async function installProgram(folder) {
  await rm(folder, { recursive: true, force: true });
  await cp(dirname(PROGRAM), folder, { recursive: true, filter: (path) => !path.endsWith('.cache') });
  return join(folder, 'cli.js');
}

function startNode(args, { project, home, simUrl, uid, gid }) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_API_KEY: 'bench',
    // In a non-interactive run, forks must be enabled.
    COPPICE_FORK_SUBAGENT: '1',
    ...(simUrl === undefined ? {} : { ANTHROPIC_BASE_URL: simUrl }),
  };
  const child = spawn(process.execPath, args, { cwd: project, env, uid, gid, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece;
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${args.join(' ')} ended with ${code}:\n${stderr}`));
    });
  });
  return { pid: child.pid, ended };
}

/**
 * Captures the constant parts of the program's request, so that the floors send them too. This first session also
 * creates the compile cache (src/front/cli/load-program.ts): every start but the first is measured.
 */
async function captureTemplate(stage) {
  const sim = await startSim({ scenario: [{ reply: 'Hello.' }] });
  try {
    await stage.start(stage.program('-p', 'hello'), sim.url).ended;
    const { messages: _, ...template } = sim.requests[0].body;
    return template;
  } finally {
    await sim.close();
  }
}

/** Writes files of a given length, made of plain lines. */
export async function writeFiles(stage, prefix, count, bytes) {
  const line = 'The quick brown fox jumps over the lazy dog, again and again and again.\n';
  const content = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  await Promise.all(Array.from({ length: count }, (_, index) => stage.write(`${prefix}${index + 1}.txt`, content)));
}

/** The resource usage of a process on Linux: CPU of all threads, proportional memory (PSS), peak memory. */
export async function usageOf(pid) {
  const read = (file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = await Promise.all(threads.map((thread) => read(`task/${thread}/schedstat`)));
  const [smaps, status] = await Promise.all([read('smaps_rollup'), read('status')]);
  const kb = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    cpuMs: times.reduce((sum, line) => sum + Number(line.split(' ')[0] || 0), 0) / 1e6,
    pssMb: kb(smaps, 'Pss') / 1024,
    peakMb: kb(status, 'VmHWM') / 1024,
  };
}
