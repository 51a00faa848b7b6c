/**
 * The repository of a tortured session, and what must be true of it in the end, whatever struck: git finds nothing wrong, its
 * worktrees are those that have a record, nobody's lock is left, what the child in a worktree did is there, and the
 * main checkout is as it was.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LINES_FILE, TREE_FILE } from './work.mjs';

export function makeRepository(project) {
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'config', 'user.name', 'Torture');
  git(project, 'config', 'user.email', 'torture@example.invalid');
  git(project, 'commit', '-q', '--allow-empty', '-m', 'begin');
}

/**
 * What must be true at any moment, also right after a kill: a worktree has its record before git knows it. Git's own files
 * of one that is being made or removed may be cut short, and some of git's commands fail until that is repaired.
 */
export async function checkStruck(project) {
  const records = await readRecords(project, () => {});
  const half = records.filter(({ stage }) => stage !== 'made').map(({ name }) => name);
  const wrong = checkGit(project).filter((line) => !half.some((name) => line.includes(`worktrees/${name}`)));
  const places = new Set(records.map(({ path }) => path));
  for (const { path } of listStruck(project, half)) {
    if (!places.has(path)) wrong.push(`git knows a worktree without a record: ${path}`);
  }
  return wrong;
}

function listStruck(project, half) {
  try {
    return listWorktrees(project);
  } catch (error) {
    if (half.length > 0) return [];
    throw error;
  }
}

/** Returns how many worktrees have work, and how many were made for an agent that never began: killed in between. */
export async function checkWorktrees({ project, struck }, files, faults) {
  const wrong = (line) => faults.worktree.push(line);
  for (const line of struck) wrong(`after a strike: ${line}`);
  for (const line of checkGit(project)) wrong(line);
  const listed = listWorktrees(project);
  const records = await readRecords(project, wrong);
  const places = new Set(records.map(({ path }) => path));
  for (const { path, locked, prunable } of listed) {
    if (!places.has(path)) wrong(`git knows a worktree without a record: ${path}`);
    if (locked !== undefined) wrong(`${path} is still locked: ${locked}`);
    if (prunable !== undefined) wrong(`${path} is registered and not there: ${prunable}`);
  }
  for (const { path, name, stage } of records) {
    if (!listed.some((one) => one.path === path)) wrong(`${name} has a record, and git does not know it`);
    if (stage !== 'made') wrong(`${name} was left half-made (${stage})`);
  }
  const works = await Promise.all(records.map(({ path }) => readWork(path)));
  const work = works.flat();
  for (const mark of doneInTree(files)) if (!work.includes(mark)) wrong(`${mark} was done and is in no worktree`);
  const agents = new Set(files.map(({ agent }) => agent));
  const unbegun = records.filter(({ owner }) => !agents.has(owner.agent)).length;
  return { worktrees: works.filter((marks) => marks.length > 0).length, unbegun };
}

function checkGit(project) {
  const { stdout, stderr, status } = spawnSync('git', ['fsck', '--no-dangling'], { cwd: project, encoding: 'utf8' });
  const found = [...stdout.split('\n'), ...(status === 0 ? [] : stderr.split('\n'))].filter(Boolean);
  const changed = git(project, 'status', '--porcelain', '--untracked-files=all')
    .split('\n')
    .filter((line) => line !== '' && line !== `?? ${LINES_FILE}`);
  const head = git(project, 'log', '--format=%s', 'main').trim();
  return [
    ...found.map((line) => `git fsck: ${line}`),
    ...changed.map((line) => `the main checkout changed: ${line}`),
    ...(head === 'begin' ? [] : [`the main branch moved: ${head}`]),
  ];
}

/** Linked ones only. */
function listWorktrees(project) {
  const blocks = git(project, 'worktree', 'list', '--porcelain').trim().split('\n\n').slice(1);
  return blocks.map((block) => {
    const fields = block.split('\n').map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]);
    const { worktree: path, ...more } = Object.fromEntries(fields);
    return { path, ...more };
  });
}

async function readRecords(project, wrong) {
  const folder = join(project, '.git', 'coppice', 'worktrees');
  const names = await readdir(folder).catch(() => []);
  // A temporary file of a write that was killed goes with a later write.
  const locks = names.filter((name) => name.includes('.lock') && !name.endsWith('.coppice-tmp'));
  for (const name of locks) wrong(`${name} is left in ${folder}`);
  const records = names.filter((name) => name.endsWith('.json'));
  return Promise.all(records.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
}

/** The marks in the file of a worktree. */
async function readWork(path) {
  const file = join(path, TREE_FILE);
  return existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter(Boolean) : [];
}

/** Marks of the calls that were reported as done. */
function doneInTree(files) {
  const marks = [];
  for (const { records } of files) {
    const byId = new Map();
    for (const record of records) {
      for (const block of record.kind === 'assistant-replied' ? record.blocks : []) {
        const mark = /echo (tree-\S+) /.exec(block.input?.command ?? '')?.[1];
        if (mark !== undefined) byId.set(block.id, mark);
      }
      if (record.kind === 'call-finished' && !record.isError && byId.has(record.call))
        marks.push(byId.get(record.call));
    }
  }
  return marks;
}

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
