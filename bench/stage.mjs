/** Where rows are measured: a home and a project of their own, and the ways to run the program and the floors there. */

import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSim } from '../dist/sim.js';

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
    /** A floor script by name; it is told where the parts of the request are that never change. */
    floor: (name, ...args) => [fileURLToPath(new URL(`floors/${name}.mjs`, import.meta.url)), ...args],
    program: (...args) => [PROGRAM, ...args],
    templateFile,
    /** The same program without a compiled form beside it, each time. */
    neverRunProgram: async (...args) => {
      const copy = join(scratch, 'dist');
      await rm(copy, { recursive: true, force: true });
      await cp(dirname(PROGRAM), copy, { recursive: true, filter: (path) => !path.endsWith('.cache') });
      return [join(copy, 'cli.js'), ...args];
    },
    /** Starts a Node process; `ended` gives its output once it has exited with 0. */
    start: (args, simUrl) => startNode(args, { project, home, simUrl }),
    write: (name, content) => writeFile(join(project, name), content),
    close: () => rm(scratch, { recursive: true, force: true }),
  };
  const template = await captureTemplate(stage);
  await writeFile(templateFile, JSON.stringify(template));
  return { ...stage, template };
}

function startNode(args, { project, home, simUrl }) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_API_KEY: 'bench',
    // Without a person who watches, forks have to be asked for.
    COPPICE_FORK_SUBAGENT: '1',
    ...(simUrl === undefined ? {} : { ANTHROPIC_BASE_URL: simUrl }),
  };
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
 * The parts of the program's request that stay the same, for the floors to send too. This first session also leaves the
 * program's compiled form behind (src/front/cli/load-program.ts): what is measured is every start but the first.
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

/** Files of a length, made of plain lines. */
export async function writeFiles(stage, prefix, count, bytes) {
  const line = 'The quick brown fox jumps over the lazy dog, again and again and again.\n';
  const content = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  await Promise.all(Array.from({ length: count }, (_, index) => stage.write(`${prefix}${index + 1}.txt`, content)));
}

/** What a process uses now, as Linux tells it: CPU of all its threads, memory as its share and at its peak. */
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
