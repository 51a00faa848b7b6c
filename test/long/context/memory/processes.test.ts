/** Real processes: killed in the middle, several at once, and with any umask (ME-3, ME-5, ME-8). */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { memoryDifference } from '../../../../src/context/memory/snapshots/memory-difference.js';
import { recoverMemory } from '../../../../src/context/memory/snapshots/memory-lock.js';
import { bundle } from '../../../support/bundle.js';
import { copyOf, leftOf, stageFor, stateOf, withoutHalves } from '../../../unit/context/memory/snapshots/act-stage.js';
import { ACTS, act } from '../../../unit/context/memory/snapshots/acts.js';
import {
  type MemoryStage,
  memoryStage,
  modesOf,
  put,
  quickFolder,
  snapshotJson,
  textsOf,
} from '../../../unit/context/memory/snapshots/memory-stage.js';
import { stoppingHost } from '../../../unit/context/memory/snapshots/stopping-host.js';

const run = promisify(execFile);
const IS_ALL = process.env.KILLS === 'all';
const LIMIT_MS = IS_ALL ? 900_000 : 60_000;

describe('ME-5: real processes', () => {
  it(
    'ME-5 killed with -9 at an effect: the next finds the old or the new state, and can do the same',
    async () => {
      const program = await actor();
      for (const what of ACTS) {
        const template = await stageFor(what);
        const rehearsal = await copyOf(template);
        const { host, effects } = stoppingHost(rehearsal.host, { at: 0, how: 'stop' });
        const before = stateOf(rehearsal);
        await act(host, rehearsal.place, what);
        const after = stateOf(rehearsal);
        const moves = effects.flatMap((effect, index) => (/^held move/.test(effect) ? [index + 1] : []));
        const chosen = IS_ALL ? effects.map((_, index) => index + 1) : [moves[1] ?? 3, moves[3] ?? 5];
        for (const at of chosen) {
          const about = `${what}, killed at ${at}: ${effects[at - 1]}`;
          const stage = await copyOf(template);
          const child = spawn(process.execPath, [program, 'act', stage.root, what, String(at)], { env: stage.env });
          expect(await once(child, 'exit'), about).toEqual([null, 'SIGKILL']);
          await recoverMemory(stage.host, stage.place);
          const state = withoutHalves(stateOf(stage));
          const isNew = JSON.stringify(state) === JSON.stringify(after);
          if (!isNew) expect(state, about).toEqual(before);
          if (!(what.startsWith('rollBack') && isNew))
            expect(await act(stage.host, stage.place, what), about).toMatchObject({ ok: true });
          expect(withoutHalves(stateOf(stage)), about).toEqual(after);
        }
      }
    },
    LIMIT_MS,
  );

  it(
    'ME-8 agents that write and people who update at once: nothing is lost, and every state is whole',
    async () => {
      const program = await actor();
      const stage = await memoryStage(
        { 'MEMORY.md': 'first', 'pair.md': 'first' },
        { 'MEMORY.md': 'team', 'pair.md': 'team', 'snapshot.json': snapshotJson('2026-11-01T00:00:00Z') },
      );
      const count = IS_ALL ? 100 : 10;
      const said = await startAll(program, stage, [
        ['write', 'a', String(count)],
        ['write', 'b', String(count)],
        ['update', 'take,take,rollBack', String(count)],
        ['update', 'publish', String(count)],
      ]);
      expect(said.slice(0, 2)).toEqual([{ ok: true }, { ok: true }]);
      expect(
        said
          .slice(2)
          .flatMap(({ reasons = [] }) => reasons)
          .filter((reason) => !/there is no backup/.test(reason)),
      ).toEqual([]);
      await memoryDifference(stage.host, stage.place);
      expect(leftOf(stage)).toEqual([]);
      const states = statesIn(stage);
      for (const folder of states) {
        const { 'MEMORY.md': memory, 'pair.md': pair } = textsOf(folder);
        expect(pair, folder).toBe(memory);
      }
      for (const writer of ['a', 'b']) {
        for (let number = 0; number < count; number += 1) {
          const name = `note-${writer}-${number}.md`;
          const held = states.flatMap((folder) =>
            readdirSync(folder).includes(name) ? [readFileSync(join(folder, name), 'utf8')] : [],
          );
          expect(new Set(held), name).toEqual(new Set([`${writer} ${number}`]));
        }
      }
    },
    LIMIT_MS,
  );

  it.each(['000', '022', '077'])(
    'ME-3 with umask %s, mine is 0700 and 0600, and what is published has the umask',
    async (mask) => {
      const program = await actor();
      const stage = await memoryStage(undefined, {
        'a.md': 'team',
        'snapshot.json': snapshotJson('2026-11-01T00:00:00Z'),
      });
      await start(program, stage, 'update', 'initialise', 1, mask);
      for (const path of Object.values(modesOf(stage.place.parent))) expect(['700', '600']).toContain(path);
      put(stage.mine, { 'sub/x.txt': 'x', 'b.md': 'mine' });
      put(stage.team, { 'c.md': 'new' });
      await start(program, stage, 'update', 'merge,publish', 2, mask);
      const modes = modesOf(stage.place.parent);
      for (const [path, mode] of Object.entries(modes)) {
        // What the test itself wrote is in backups as it was.
        if (/backups\/\d+\/(?:sub\/|b\.md)/.test(path)) continue;
        expect([path, mode]).toEqual([path, path === '' || path.endsWith('/') ? '700' : '600']);
      }
      const bits = Number.parseInt(mask, 8);
      const [folder, file] = [(0o777 & ~bits).toString(8), (0o666 & ~bits).toString(8)];
      expect(modesOf(stage.team)).toEqual({
        '': folder,
        'a.md': file,
        'b.md': file,
        'c.md': file,
        'snapshot.json': file,
      });
      expect(modesOf(join(stage.place.snapshot?.parent ?? '', '.coppice'))).toMatchObject({
        '': '700',
        'notes/': '700',
      });
    },
  );
});

function actor(): Promise<string> {
  return bundle(new URL('./memory-actor.ts', import.meta.url), quickFolder());
}

type Said = { readonly ok: boolean; readonly reasons?: readonly string[] };

async function start(
  program: string,
  { root, env }: MemoryStage,
  action: string,
  what: string,
  count: number,
  mask = '022',
): Promise<Said> {
  const { stdout } = await run(process.execPath, [program, action, root, what, String(count), mask], { env });
  return JSON.parse(stdout) as Said;
}

/** All begin when the last one is ready. */
async function startAll(
  program: string,
  { root, env }: MemoryStage,
  all: readonly (readonly string[])[],
): Promise<readonly Said[]> {
  const children = all.map(([action = '', ...args]) =>
    spawn(process.execPath, [program, action, root, ...args], {
      env: { ...env, WAIT: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const lines = children.map((child) => readLines(child.stdout));
  for (const line of lines) expect((await line.next()).value).toBe('ready');
  for (const child of children) child.stdin.end();
  return Promise.all(lines.map(async (line) => JSON.parse(String((await line.next()).value)) as Said));
}

function readLines(stream: Readable): AsyncIterator<string> {
  return createInterface({ input: stream })[Symbol.asyncIterator]();
}

/** The two folders, and all their backups. */
function statesIn({ mine, team, beside, place }: MemoryStage): readonly string[] {
  const backups = [join(beside, 'backups'), join(place.snapshot?.parent ?? '', '.coppice', place.name, 'backups')];
  return [mine, team, ...backups.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
