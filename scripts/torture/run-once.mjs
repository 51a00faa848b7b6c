/** One start of the program within a tortured session: a prompt, answers to its questions, at most one strike. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isSudden, killTree, runningWith } from './strike.mjs';
import { ALL_DONE } from './work.mjs';

const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const MACHINE = new URL('./machine.mjs', import.meta.url).href;
const ARGS = [
  '-p',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--permission-prompt-tool',
  'stdio',
];
const INTRUDER = 'THE SECOND PROCESS SPEAKS.';
/** A session without output for this long is stuck. */
const PATIENCE_MS = 25_000;
/** A session that works for this long goes round in circles. */
const MOST_MS = 60_000;
/** How long it may take to leave when it is asked to. */
const LEAVING_MS = 12_000;
/** How often a prompt is sent again after a result that could not be saved. */
const MAX_AGAIN = 5;

export async function runOnce({ played, env, sim, random, strike, disk, goesOn, isJoined, number }) {
  const child = start(played.project, env, strike?.fault, goesOn);
  const state = { struckDown: false, struck: false, done: false, stuck: undefined, stderr: '', code: null };
  const timers = new Set();
  const after = (ms, act) => timers.add(setTimeout(act, ms));
  const say = (line) => child.stdin.write(`${JSON.stringify(line)}\n`);
  const ask = (words) => say({ type: 'user', message: { role: 'user', content: `${words} (${number})` } });
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    state.stderr += piece;
  });
  const giveUp = (why) => {
    state.stuck ??= why;
    child.kill('SIGKILL');
  };
  /** A second process is in the middle of being refused: the first must be there. */
  let second = Promise.resolve();
  const act = async () => {
    await second;
    if (child.exitCode !== null || state.done || state.struck) return;
    state.struck = true;
    if (strike.what === 'fill') return fillForWhile();
    state.struckDown = true;
    if (strike.what === 'kill') child.kill('SIGKILL');
    else if (strike.what === 'tree') killTree(child);
    else {
      child.kill(strike.what === 'term' ? 'SIGTERM' : 'SIGINT');
      after(LEAVING_MS, () => giveUp(`did not leave within ${LEAVING_MS} ms of ${strike.what}`));
    }
  };
  let isFull = false;
  const fillForWhile = () => {
    isFull = true;
    disk.fill();
    after(strike.fillMs, () => {
      disk.enlarge();
      isFull = false;
    });
  };
  let patience;
  const alive = () => {
    clearTimeout(patience);
    patience = setTimeout(() => giveUp(`no output for ${PATIENCE_MS} ms`), PATIENCE_MS);
  };
  alive();
  after(MOST_MS, () => giveUp(`still at work after ${MOST_MS} ms`));
  const at = strike?.at;
  if (at?.kind === 'time') after(at.ms, act);
  if (at?.kind === 'requests') void sim.received(sim.requests.length + at.count).then(() => after(at.ms, act));
  let lines = 0;
  let again = 0;
  const reading = createInterface({ input: child.stdout });
  const read = new Promise((resolve) => reading.once('close', resolve));
  reading.on('line', (text) => {
    alive();
    lines += 1;
    if (at?.kind === 'lines' && lines === at.count) after(at.ms, act);
    const line = parse(text);
    if (line === undefined) return;
    played.printed.push(line);
    // One that is already leaving may well have given the session up.
    if (isJoined && !state.struck && line.type === 'assistant') {
      isJoined = false;
      second = tryToJoin(played, env);
    }
    if (line.type === 'control_request') answer(line);
    // What could not be saved is tried again, once there is room.
    if (wasNotSaved(line) && again < MAX_AGAIN) {
      again += 1;
      sayAgain();
    }
    if (saysDone(line)) {
      state.done = true;
      after(random.whole(0, 30), () => void second.then(() => child.stdin.end()));
    }
  });
  const sayAgain = () => after(50, () => (isFull ? sayAgain() : ask('Go on with the work.')));
  const answer = (line) => {
    const allow = random.chance(0.95) || line.request.tool_name !== 'Bash';
    if (allow) played.allowed.add(line.request.tool_use_id);
    const response = allow ? { behavior: 'allow' } : { behavior: 'deny', message: 'Not now; try again.' };
    const answered = { subtype: 'success', request_id: line.request_id, response };
    after(random.whole(0, 20), () => say({ type: 'control_response', response: answered }));
  };
  ask(goesOn ? 'Go on with the work.' : 'Begin the work.');
  await new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code, signal) => {
      state.code = code ?? signal;
      resolve();
    });
  });
  await read;
  await second;
  clearTimeout(patience);
  for (const timer of timers) clearTimeout(timer);
  if (isFull) disk.enlarge();
  if (strike?.fault !== undefined && state.code === 'SIGKILL') Object.assign(state, { struckDown: true, struck: true });
  if (/a write was refused/.test(state.stderr)) state.struck = true;
  if (!isSudden(strike?.what) && !state.stuck) checkLeft(played, strike, { ...state, hasBegun: lines > 0 });
  return state;
}

function start(cwd, env, fault, goesOn) {
  const node = fault === undefined ? [] : ['--import', MACHINE];
  const args = [...node, PROGRAM, ...ARGS, ...(goesOn ? ['--continue'] : [])];
  const more = fault === undefined ? {} : { TORTURE_FAULT: JSON.stringify(fault) };
  return spawn(process.execPath, args, { cwd, env: { ...env, ...more } });
}

/** It must be refused before it sends anything. */
async function tryToJoin(played, env) {
  played.facts.seconds += 1;
  const args = [PROGRAM, '-p', INTRUDER, '--continue'];
  const child = spawn(process.execPath, args, { cwd: played.project, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece;
  });
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const code = await new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  clearTimeout(patience);
  if (code === 0 || !/open in another process|in use/.test(stderr)) {
    played.left.push(`a second process ended with ${code}: ${stderr.trim().slice(-300)}`);
  }
}

/** One that leaves on its own, asked or not, leaves nothing behind; the exit code tells a signal. */
function checkLeft(played, strike, { struckDown, code, done, hasBegun }) {
  // One that could not even be opened, on a full disk, does not own what an earlier one left.
  const left = hasBegun ? runningWith(played.linesFile) : [];
  for (const pid of left) played.left.push(`process ${pid} was left running`);
  const expected = { term: 143, int: 130 }[struckDown ? strike.what : ''];
  // Before it listens, a signal ends it like any process.
  if (expected !== undefined && code !== expected && !done && hasBegun) {
    played.left.push(`${strike.what} ended it with ${code} instead of ${expected}`);
  }
}

/** A prompt, or a turn that a notice began, ended because something could not be saved. */
function wasNotSaved(line) {
  if (line.type === 'result') return line.error === 'not_saved';
  return line.type === 'system' && line.subtype === 'line' && /Nothing before it is lost/.test(line.line);
}

/** True if the line is the main agent's last message. */
function saysDone(line) {
  if (line.type !== 'assistant' || line.parent_tool_use_id !== null) return false;
  return line.message.content.some((block) => block.type === 'text' && block.text === ALL_DONE);
}

/** A process that is killed may leave half a line. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
