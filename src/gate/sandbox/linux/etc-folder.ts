/**
 * What a command in the box sees as `/etc`: copies of the few files that programs need to start and to name things, and
 * a made-up list of users and groups with the person's own entry. One folder, because every mount costs time.
 */

import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { errorCode } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';

/** Libraries, time zone and language, kinds of files, the terminal, the name of the system, and what interpreters keep here. */
const COPIED =
  /^(?:ld\.so\.(?:cache|conf(?:\.d)?)|localtime|timezone|locale\.(?:conf|alias|gen)|os-release|lsb-release|[a-z]+[-_](?:release|version)|mime\.types|magic(?:\.mime)?|manpath\.config|man_db\.conf|terminfo|groff|services|protocols|inputrc|java(?:-[\w.-]+)?|perl|python3?(?:\.\d+)?)$/;
/** May hold a password although it is not one of the above by name. */
const PRIVATE = /passw|secret|credential|token|\.key$|\.pem$/i;
const MOST_FILES = 300;
const LARGEST_FILE = 512 * 1024;
const DEEPEST = 4;

/** Change when a program is installed: if they are not what was copied any more, the real ones are shown. */
const LIVE = ['/etc/ld.so.cache', '/etc/alternatives'];

type Page = { readonly name: string; readonly content: Buffer };

export type EtcFolder = {
  /** The copies, as long as they are whole. */
  readonly folder: string;
  /** Real paths that must be shown over their copies. */
  changed(): readonly string[];
};

/** The copies are below `state`, and stay for later sessions. */
export async function makeEtc(host: Host, state: string, owner: Owner): Promise<EtcFolder> {
  const times = LIVE.map((path) => changeTime(host, path));
  const pages = [...(await madeUp(host, owner)), ...(await copied(host)), page('alternatives.time', times.map(String))];
  const hash = createHash('sha256');
  for (const { name, content } of pages) hash.update(`${name}\0${content.length}\0`).update(content);
  const folder = join(state, `etc-${hash.digest('hex').slice(0, 16)}`);
  if ((await host.files.stat(folder)) === undefined)
    await build(host, pages, folder, join(state, `draft-${host.newId()}`));
  return { folder, changed: () => LIVE.filter((path, index) => changeTime(host, path) !== times[index]) };
}

async function build(host: Host, pages: readonly Page[], folder: string, draft: string): Promise<void> {
  for (const { name, content } of pages) {
    await host.files.makeFolder(join(draft, name, '..'), 0o755);
    await host.files.create(join(draft, name), content, 0o644);
  }
  if (changeTime(host, '/etc/alternatives') !== undefined) await copyLinks(host, '/etc/alternatives', draft);
  // Another session may have been faster.
  await host.files.rename(draft, folder).catch((error: unknown) => {
    if (!/^(?:EEXIST|ENOTEMPTY)$/.test(errorCode(error) ?? '')) throw error;
  });
}

async function copyLinks(host: Host, folder: string, draft: string): Promise<void> {
  const copy = join(draft, basename(folder));
  await host.files.makeFolder(copy, 0o755);
  for (const { name, kind } of await host.files.list(folder).catch(() => [])) {
    if (kind === 'link') await host.files.makeLink(await host.files.readLink(join(folder, name)), join(copy, name));
  }
}

function changeTime(host: Host, path: string): number | undefined {
  try {
    return host.files.sync.lstat(path)?.ctimeMs;
  } catch {
    return undefined;
  }
}

export type Owner = { readonly user: number; readonly group: number };

async function madeUp(host: Host, { user, group }: Owner): Promise<readonly Page[]> {
  const { env } = host;
  const line = async (file: string, id: number) => {
    const text = (await host.files.read(file).catch(() => undefined))?.toString('utf8') ?? '';
    return text.split('\n').find((entry) => entry.split(':')[2] === String(id));
  };
  const name = (env.USER ?? env.LOGNAME ?? 'user').replace(/[^\w.-]/g, '_');
  const own = (await line('/etc/passwd', user)) ?? `${name}:x:${user}:${group}::${env.HOME ?? '/'}:/bin/bash`;
  const ownGroup = (await line('/etc/group', group)) ?? `${name}:x:${group}:`;
  const nobody = (await line('/etc/passwd', NOBODY)) ?? `nobody:x:${NOBODY}:${NOBODY}::/:/bin/false`;
  const nogroup = (await line('/etc/group', NOBODY)) ?? `nogroup:x:${NOBODY}:`;
  // Members of other groups are nobody's business.
  const groups = [ownGroup, nogroup].map((entry) => `${entry.split(':').slice(0, 3).join(':')}:`);
  return [
    page('passwd', [own, nobody]),
    page('group', groups),
    page('nsswitch.conf', [
      'passwd group shadow hosts services protocols'.replaceAll(' ', ': files\n').concat(': files'),
    ]),
    page('hosts', ['127.0.0.1 localhost', '::1 localhost']),
  ];
}

/** The owner of what the box does not know. */
const NOBODY = 65534;

function page(name: string, lines: readonly string[]): Page {
  return { name, content: Buffer.from(`${[...new Set(lines)].join('\n')}\n`) };
}

async function copied(host: Host): Promise<readonly Page[]> {
  const pages: Page[] = [];
  const copy = async (name: string, depth: number): Promise<void> => {
    const path = join('/etc', name);
    const stat = await host.files.stat(path).catch(() => undefined);
    if (stat?.kind === 'folder' && depth < DEEPEST) {
      const entries = await host.files.list(path).catch(() => []);
      for (const entry of entries) if (!PRIVATE.test(entry.name)) await copy(join(name, entry.name), depth + 1);
    } else if (stat?.kind === 'file' && stat.size <= LARGEST_FILE && pages.length < MOST_FILES) {
      const content = await host.files.read(path).catch(() => undefined);
      if (content !== undefined) pages.push({ name, content });
    }
  };
  const names = (await host.files.list('/etc').catch(() => [])).map(({ name }) => name).sort();
  for (const name of names) if (COPIED.test(name)) await copy(name, 0);
  return pages;
}
