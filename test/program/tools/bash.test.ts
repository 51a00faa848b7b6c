import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bashTool, createBashTool } from '../../../src/tools/bash/bash.js';
import type { ToolContext } from '../../../src/tools/tool.js';
import { makeBench, processesWith } from '../../unit/tools/tool-bench.js';

let marks = 0;

/** A number of seconds no other process sleeps for, so that it can be found in the process table. */
const newMark = () => `31${process.pid}.${++marks}`;

describe('SF-14: Bash runs a command', () => {
  it('SF-14: gives stdout and stderr in the order they came', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: 'echo a; echo b >&2; echo c; echo d >&2' })).toBe('a\nb\nc\nd');
  });

  it('SF-14: names exit code, signal and a syntax error', async () => {
    const bench = await makeBench();
    const failing = await bench.call(bashTool, { command: 'echo out; exit 3' });
    expect(failing).toMatchObject({ isError: true, content: [{ type: 'text', text: 'out\n(exit code 3)' }] });
    expect(await bench.say(bashTool, { command: 'kill -9 $$' })).toContain('SIGKILL');
    const broken = await bench.call(bashTool, { command: 'echo "unclosed' });
    expect(broken.isError).toBe(true);
    expect(await bench.say(bashTool, { command: 'no-such-program-here' })).toMatch(
      /line 1: no-such-program-here[\s\S]*exit code 127/,
    );
  });

  it('SF-14: never gives an empty result', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: 'true' })).toBe('(no output)');
    expect(await bench.say(bashTool, { command: 'printf "\\n\\n"' })).toBe('(no output)');
  });

  it('SF-14: input is closed, arguments and traps of the wrapper stay out of sight', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: 'cat; echo "$# <$1>"' })).toBe('0 <>');
    expect(await bench.say(bashTool, { command: 'set -x; true' })).toBe('++ true');
    expect(await bench.say(bashTool, { command: "trap 'echo bye >&2' EXIT; echo hi" })).toBe('hi\nbye');
    expect(await bench.say(bashTool, { command: "cat <<'EOF'\nit's $HOME\nEOF" })).toBe("it's $HOME");
  });

  it('SF-14: our keys are not handed on unless asked for', async () => {
    const command =
      'echo "[$ANTHROPIC_API_KEY$ANTHROPIC_AUTH_TOKEN] $OTHER $GIT_TERMINAL_PROMPT $PAGER $GIT_PAGER $COPPICE"';
    const env = { ANTHROPIC_API_KEY: 'k1', ANTHROPIC_AUTH_TOKEN: 'k2', OTHER: 'kept' };
    const bench = await makeBench(env);
    expect(await bench.say(bashTool, { command })).toBe('[] kept 0 cat cat 1');
    const keeping = await makeBench({ ...env, COPPICE_KEEP_KEYS: '1' });
    expect(await keeping.say(bashTool, { command })).toBe('[k1k2] kept 0 cat cat 1');
  });

  it('SF-14: binary output and colours become plain text', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: "printf '\\033[31mred\\033[0m a\\0b \\377'" })).toBe('red a␀b \uFFFD');
  });

  it('SF-14: refuses a command that is empty, has a NUL, or is too long for the system', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: '' })).toContain('"command" is empty');
    expect(await bench.say(bashTool, { command: 'echo a\0b' })).toContain('NUL');
    expect(await bench.say(bashTool, { command: `echo ${'x'.repeat(130_000)}` })).toContain('script file');
  });
});

describe("SF-14: Bash keeps the agent's own folder", () => {
  it('SF-14: cd lasts, whatever way the command ends', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('a/b'), { recursive: true });
    const { shell } = bench.context;
    await bench.call(bashTool, { command: 'cd a' });
    expect(shell.cwd).toBe(bench.path('a'));
    await bench.call(bashTool, { command: 'cd b; exit 1' });
    expect(shell.cwd).toBe(bench.path('a/b'));
    await bench.call(bashTool, { command: 'cd ..; set -e; false; echo no' });
    expect(shell.cwd).toBe(bench.path('a'));
    await bench.call(bashTool, { command: "cd ..; trap 'true' EXIT" });
    expect(shell.cwd).toBe(bench.root);
    await bench.call(bashTool, { command: 'set -C; cd a; sleep 0.01 & (cd b)' });
    expect(shell.cwd).toBe(bench.path('a'));
    await bench.call(bashTool, { command: 'cd b; false' });
    expect(await bench.say(bashTool, { command: 'pwd' })).toBe(bench.path('a/b'));
  });

  it('SF-14: two agents each have their own', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('a'));
    const other = { shell: { cwd: bench.root } };
    await bench.call(bashTool, { command: 'cd a' });
    expect(await bench.say(bashTool, { command: 'pwd' }, other)).toBe(bench.root);
    expect(await bench.say(bashTool, { command: 'pwd' })).toBe(bench.path('a'));
  });

  it('SF-14: a folder outside the roots is left again, also through a link', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('in'));
    symlinkSync(bench.outside, bench.path('link'));
    bench.context.shell.cwd = bench.path('in');
    expect(await bench.say(bashTool, { command: 'cd ../link' })).toContain(`moved to ${bench.outside}, outside`);
    expect(bench.context.shell.cwd).toBe(bench.root);
    expect(await bench.say(bashTool, { command: 'cd /' })).toContain('outside');
    expect(bench.context.shell.cwd).toBe(bench.root);
  });

  it('SF-14: a removed folder leads back to the root, with a note', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('gone'));
    bench.context.shell.cwd = bench.path('gone');
    expect(await bench.say(bashTool, { command: 'rmdir ../gone' })).toContain('no longer exists');
    expect(bench.context.shell.cwd).toBe(bench.root);
    bench.context.shell.cwd = bench.path('never');
    expect(await bench.say(bashTool, { command: 'pwd' })).toBe(
      `${bench.root}\n(the folder ${bench.path('never')} no longer exists; the command ran in ${bench.root})`,
    );
    rmSync(bench.root, { recursive: true });
    expect(await bench.say(bashTool, { command: 'pwd' })).toContain('no longer exists, so no command');
  });

  it('SF-14: a folder name with quotes and a newline is followed', async () => {
    const bench = await makeBench();
    const odd = bench.path("it's\n odd");
    mkdirSync(odd);
    await bench.call(bashTool, { command: 'cd it*' });
    expect(bench.context.shell.cwd).toBe(realpathSync(odd));
    expect(readdirSync(bench.results)).toEqual([]);
  });
});

describe('GT-24: the folder comes back by a descriptor', () => {
  it('GT-24: what a command writes to it itself is only a claim, checked against the roots', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('a'));
    symlinkSync(bench.outside, bench.path('link'));
    const lie = (folder: string) =>
      `for fd in /proc/self/fd/*; do printf '%s\\0' ${folder} >&\${fd##*/}; done 2>/dev/null`;
    for (const folder of [bench.outside, '/etc', bench.path('link'), bench.path('none'), 'a']) {
      bench.context.shell.cwd = bench.path('a');
      await bench.call(bashTool, { command: `${lie(folder)}; exec true` });
      expect([bench.root, bench.path('a')]).toContain(bench.context.shell.cwd);
    }
    await bench.call(bashTool, { command: `${lie('/etc')}; cd ${bench.path('a')}` });
    expect(bench.context.shell.cwd).toBe(bench.path('a'));
  });

  it('GT-24: a command may use descriptor 3, and what is told twice or at length does no harm', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('a'));
    expect(await bench.say(bashTool, { command: 'exec 3>file; echo x >&3; cd a; cat ../file' })).toBe('x');
    expect(bench.context.shell.cwd).toBe(bench.path('a'));
    await bench.call(bashTool, { command: 'head -c 1000000 /dev/zero >&199; cd ..' });
    expect(bench.context.shell.cwd).toBe(bench.root);
  });

  it('GT-24: a process that holds it open does not delay the answer for long', async () => {
    const bench = await makeBench();
    const mark = newMark();
    const said = await bench.say(bashTool, { command: `setsid sleep ${mark} > /dev/null 2>&1 & echo done` });
    expect(said).toContain('done');
    for (const pid of processesWith(mark)) process.kill(Number(pid));
  });
});

describe('GT-23: Bash in the reading box', () => {
  it('GT-23: unconfined is declared where commands may be confined, and passed on to the gate', () => {
    const at = { cwd: '/p', home: '/h' };
    const input = { command: 'ls', unconfined: true };
    const confines = createBashTool({ background: false, sandbox: false, confines: true });
    const never = createBashTool({ background: false, sandbox: false, confines: false });
    expect(confines.declare(input, at)).toEqual([{ kind: 'shell', command: 'ls', cwd: '/p', unconfined: true }]);
    expect(confines.declare({ command: 'ls' }, at)).toEqual([{ kind: 'shell', command: 'ls', cwd: '/p' }]);
    expect(never.declare(input, at)).toEqual([{ kind: 'shell', command: 'ls', cwd: '/p' }]);
    expect(JSON.stringify(confines.inputSchema)).toContain('unconfined');
    expect(JSON.stringify(never.inputSchema)).not.toContain('unconfined');
    expect(confines.description).toContain('unconfined: true');
    expect(never.description).not.toContain('unconfined');
  });

  it('GT-30: a grant carries its paths, and what is opened is what was judged', async () => {
    const bench = await makeBench();
    const tool = createBashTool({ background: false, sandbox: true, confines: false });
    const needs = { write: ['link', '/abs/../x'] };
    expect(tool.declare({ command: 'ls', needs }, { cwd: '/p', home: '/h' })[1]).toEqual({
      kind: 'grant',
      network: false,
      paths: ['/p/link', '/x'],
    });
    let granted: unknown;
    const confine: NonNullable<ToolContext['confine']> = async (_, { grant }) => {
      granted = grant;
      return { ok: false, reason: 'seen' };
    };
    const judged = new Map([[bench.path('link'), '/real/target']]);
    await bench.call(tool, { command: 'ls', needs }, { confine, judged });
    expect(granted).toEqual({ network: false, writable: ['/real/target', '/x'] });
  });
});

describe('SF-14: Bash ends its whole process group', () => {
  it('SF-14: on timeout', async () => {
    const bench = await makeBench();
    const mark = newMark();
    const command = `echo begun; (trap '' TERM; sleep ${mark}) & sleep ${mark}`;
    const outcome = await bench.call(bashTool, { command, timeout: 300 });
    expect(outcome.isError).toBe(true);
    expect(outcome.content[0]).toMatchObject({ text: expect.stringMatching(/^begun\n\(timed out after 0\.3 s/) });
    expect(processesWith(mark)).toEqual([]);
  });

  it('LC-2 SF-14: on abort', async () => {
    const bench = await makeBench();
    const mark = newMark();
    const stop = new AbortController();
    const running = bench.call(bashTool, { command: `sleep ${mark} | cat & sleep ${mark}` }, { signal: stop.signal });
    while (processesWith(mark).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    const outcome = await running;
    expect(outcome.isError).toBe(true);
    expect(outcome.content[0]).toMatchObject({ text: expect.stringContaining('interrupted') });
    expect(processesWith(mark)).toEqual([]);
    expect(await bench.say(bashTool, { command: 'touch started' }, { signal: stop.signal })).toContain('not started');
    expect(existsSync(bench.path('started'))).toBe(false);
  });

  it('SF-14: after the command, with what it left in the background, and says so', async () => {
    const bench = await makeBench();
    const mark = newMark();
    const said = await bench.say(bashTool, { command: `nohup sleep ${mark} >/dev/null 2>&1 & echo started` });
    expect(said).toBe('started\n(processes that the command left in the background were ended)');
    expect(processesWith(mark)).toEqual([]);
    const holding = await bench.say(bashTool, { command: `(sleep ${mark}; echo late) & echo now` });
    expect(holding).toMatch(/^now\n\(processes that the command left/);
    expect(processesWith(mark)).toEqual([]);
  });

  it('SF-14: a background job that is waited for, or has ended, is no leftover', async () => {
    const bench = await makeBench();
    expect(await bench.say(bashTool, { command: 'sleep 0.05 & wait; echo done' })).toBe('done');
    expect(await bench.say(bashTool, { command: '(true &); sleep 0.1; echo done' })).toBe('done');
  });

  it('SF-14: a process that left the group does not hold the result back', async () => {
    const bench = await makeBench();
    const mark = newMark();
    expect(await bench.say(bashTool, { command: `setsid sleep ${mark} & sleep 0.2; echo on` })).toContain('on');
    for (const pid of processesWith(mark)) process.kill(Number(pid), 'SIGKILL');
  });
});

describe('FK-9: Bash output is bounded with the rest on disk', () => {
  it('FK-9 SF-14: middling output is kept whole in a file', async () => {
    const bench = await makeBench();
    const said = await bench.say(bashTool, { command: 'seq 1 12000' });
    expect(said.length).toBeLessThan(30_000);
    expect(said).toMatch(/^1\n2\n/);
    expect(said).toMatch(/12000$/);
    const file = /The full text is in (\S+):/.exec(said)?.[1] ?? '';
    expect(statSync(file).size).toBeGreaterThan(60_000);
  });

  it('FK-9 SF-14: says so when the rest could not be kept', async () => {
    const bench = await makeBench();
    const outputPath = async () => '/proc/nowhere';
    const said = await bench.say(bashTool, { command: 'seq 1 100000; exit 4' }, { outputPath });
    expect(said).toMatch(/could not be saved[\s\S]*exit code 4/);
  });

  it('SF-14: shows progress while it runs', async () => {
    const bench = await makeBench();
    await bench.call(bashTool, { command: 'echo one; sleep 0.7; echo two' });
    expect(bench.progress).toEqual(['two']);
  });
});
