/** The newest session through the index of recent ones: always the one that a full scan finds. */

import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../src/config/paths.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { deleteSession } from '../../../src/session/store/delete-session.js';
import { listSessions, newestSessions } from '../../../src/session/store/list-sessions.js';
import { lockSession } from '../../../src/session/store/session-lock.js';
import fc from '../../support/fast-check.js';
import { scratchFolder } from '../../support/scratch.js';
import { until } from '../../support/until.js';
import { admitted, linesOf, started } from '../../unit/session/sample-events.js';

const host = nodeHost('/');

/** A project whose sessions are used as the program uses them, and as others may. */
class Project {
  readonly home: string;
  readonly folder: string;
  readonly recent: string;
  #count = 0;
  #ids: string[] = [];

  private constructor(home: string) {
    this.home = home;
    this.folder = join(home, 'projects', 'p');
    this.recent = join(home, 'projects', 'p.recent');
  }

  static async make(): Promise<Project> {
    const project = new Project(await scratchFolder());
    await mkdir(project.folder, { recursive: true });
    return project;
  }

  pick(at: number): string {
    return this.#ids[at % this.#ids.length] ?? this.newId();
  }

  newId(): string {
    this.#count += 1;
    const id = `s${String(this.#count).padStart(3, '0')}`;
    this.#ids.push(id);
    return id;
  }

  /** Under its lock, as the program does. `isKilled`: the lock stays. */
  async use(id: string, isKilled = false): Promise<void> {
    const locked = await lockSession(host, this.layout(id));
    // The same process holds it still: a killed process’s lock blocks only us.
    if (!locked.ok) return this.write(id);
    await this.write(id);
    if (!isKilled) await locked.lock.release();
  }

  /** By a program that knows nothing of the index. */
  async useElsewhere(id: string): Promise<void> {
    const after = Date.now() + 4;
    await until(() => Date.now() > after);
    const lock = `${this.layout(id).folder}.lock-of-another`;
    await writeFile(lock, '');
    await this.write(id);
    await rm(lock);
  }

  async write(id: string): Promise<void> {
    const { file } = this.layout(id);
    const isNew = (await stat(file).catch(() => undefined)) === undefined;
    const [first, second] = linesOf([started(id), admitted('words')]);
    await appendFile(
      file,
      isNew ? Buffer.concat([first ?? Buffer.alloc(0), second ?? Buffer.alloc(0)]) : (second ?? ''),
    );
  }

  delete(id: string) {
    return deleteSession(host, this.layout(id));
  }

  layout(id: string) {
    return sessionLayout(this.home, 'p', id);
  }

  async order(on: Host = host, most = 1): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of newestSessions(on, this.home, 'p')) {
      ids.push(id);
      if (ids.length === most) break;
    }
    return ids;
  }

  async expectRight(): Promise<void> {
    const { sessions } = await listSessions(host, { home: this.home, project: 'p' });
    expect(await this.order()).toEqual(sessions.slice(0, 1).map(({ id }) => id));
    expect(await this.order(host, 1_000)).toEqual(sessions.map(({ id }) => id));
  }
}

/** Counts inspected files. */
function counting(): { host: Host; looks(): number; lists(): number } {
  let looks = 0;
  let lists = 0;
  const { sync } = host.files;
  const files: Host['files'] = {
    ...host.files,
    list: (folder, most) => {
      lists += 1;
      return host.files.list(folder, most);
    },
    sync: {
      ...sync,
      lstat: (path) => {
        looks += 1;
        return sync.lstat(path);
      },
    },
  };
  return { host: { ...host, files }, looks: () => looks, lists: () => lists };
}

describe('the newest session', () => {
  it('DU-14: is the right one after any use, by this program, a killed one or another, with any damage to the index', async () => {
    const step = fc.record({
      kind: fc.constantFrom(
        'use',
        'use',
        'new',
        'new',
        'killed',
        'elsewhere',
        'copied',
        'deleted',
        'damaged',
        'thrown away',
      ),
      at: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const project = await Project.make();
        for (const { kind, at } of steps) {
          if (kind === 'use') await project.use(project.pick(at));
          if (kind === 'new') await project.use(project.newId());
          if (kind === 'killed') await project.use(project.pick(at), true);
          if (kind === 'elsewhere') await project.useElsewhere(project.pick(at));
          if (kind === 'copied') await project.useElsewhere(project.newId());
          if (kind === 'deleted') await project.delete(project.pick(at));
          if (kind === 'damaged') await damage(project.recent, at);
          if (kind === 'thrown away') await rm(project.recent, { force: true });
          await project.expectRight();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('DU-14: is found without inspecting the others, use after use', async () => {
    const project = await Project.make();
    for (let n = 0; n < 400; n += 1) {
      const id = project.newId();
      await project.write(id);
      await utimes(project.layout(id).file, 1_780_000_000 + n, 1_780_000_000 + n);
    }
    // Made long ago: a file made in the same millisecond as a scan is not trusted.
    await utimes(dirname(project.layout('s001').file), 1_780_000_000, 1_780_000_000);
    expect(await project.order()).toEqual(['s400']);
    for (const id of ['s007', 's007', 's300']) {
      const known = counting();
      await project.order(known.host);
      expect(known.lists()).toBe(0);
      expect(known.looks()).toBeLessThan(300);
      await project.use(id);
      const after = counting();
      expect(await project.order(after.host)).toEqual([id]);
      expect(after.lists()).toBe(0);
    }
  });

  it('DU-14: while another process has its session open, its newest records are used', async () => {
    const project = await Project.make();
    for (let n = 0; n < 3; n += 1) await project.use(project.newId());
    await project.order();
    const [open, other] = [
      await lockSession(host, project.layout('s001')),
      await lockSession(host, project.layout('s002')),
    ];
    if (!open.ok || !other.ok) return expect.fail('locked');
    await project.write('s002');
    await other.lock.release();
    await project.expectRight();
    await project.write('s001');
    await project.expectRight();
    expect(await project.order()).toEqual(['s001']);
    await open.lock.release();
    await project.expectRight();
  });

  it('DU-14: the index stays short, and its loss or a full disk costs nothing but time', async () => {
    const project = await Project.make();
    await project.use(project.newId());
    for (let n = 0; n < 200; n += 1) {
      await project.use('s001');
      if (n % 40 === 0) await project.expectRight();
    }
    expect((await stat(project.recent)).size).toBeLessThan(20_000);
    await rm(project.recent);
    // A folder in its place can neither be read nor written.
    await mkdir(join(project.recent, 'x'), { recursive: true });
    await project.use(project.newId());
    await project.expectRight();
    expect(await readdir(join(project.home, 'projects'))).toEqual(['p', 'p.recent']);
  });
});

/** Cuts it, flips a bit, or adds what another program might. */
async function damage(path: string, at: number): Promise<void> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined || bytes.length === 0) return;
  const flipped = Buffer.from(bytes);
  flipped[at % bytes.length] = 0;
  const changed = [bytes.subarray(0, at % bytes.length), flipped, Buffer.concat([bytes, Buffer.from('{"id":')])];
  await writeFile(path, changed[at % changed.length] ?? bytes);
}
