/** A stored sign-in, in its own file with mode 0600, by the server's URL. */

import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { coppiceHome, signInFile } from '../../../config/paths.js';
import type { HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { readRegularFile } from '../../../host/read-regular-file.js';
import { parseJson } from '../../../protocol/json/json-values.js';

const MOST_BYTES = 256 * 1024;
/** Characters allowed in a header. Any other would make `fetch` quote the token in its error. */
const token = z.string().regex(/^[\x21-\x7e]+$/);

const signInSchema = z.object({
  version: z.literal(1),
  url: z.string(),
  /** The issuer of the tokens. They are sent only to it and to the server at `url`. */
  issuer: z.string(),
  /** RFC 8707. */
  resource: z.string(),
  metadata: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string().optional(),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
    response_types_supported: z.array(z.string()),
  }),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  access_token: token,
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  /** Milliseconds since 1970. Absent: unknown. */
  expiresAt: z.number().optional(),
  /** From this time on, it is renewed before use. */
  renewAt: z.number().optional(),
});

export type StoredSignIn = Readonly<z.infer<typeof signInSchema>>;

export type ReadSignIn =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly signIn: StoredSignIn }
  /** The file can't be used. It is left unchanged. */
  | {
      readonly kind: 'bad';
      readonly reason: string /** Of another user, or not a file of ours at all. */;
      readonly isForeign: boolean;
    };

export async function readSignIn(host: Host, url: URL): Promise<ReadSignIn> {
  const file = fileOf(host, url);
  const found = await readRegularFile(host.files, file, { most: MOST_BYTES });
  if (found.kind === 'absent') return { kind: 'none' };
  if (found.kind === 'refused') return bad(`${file} can't be read: ${found.reason}`, true);
  const folder = await host.files.stat(dirname(file));
  if (folder !== undefined && folder.owner.user !== found.stat.owner.user) {
    return bad(`${file} belongs to another user (${found.stat.owner.user})`, true);
  }
  const parsed = signInSchema.safeParse(parseJson(found.bytes.toString('utf8')));
  if (!parsed.success) return bad(`${file} is damaged`, false);
  if (parsed.data.url !== url.href) return bad(`${file} is of another server`, false);
  return { kind: 'read', signIn: parsed.data };
}

function bad(reason: string, isForeign: boolean): ReadSignIn {
  return { kind: 'bad', reason, isForeign };
}

/** On disk when it resolves. Returns the path to which an unreadable file was moved. Rejects like the file system. */
export async function writeSignIn(host: Host, url: URL, signIn: StoredSignIn): Promise<string | undefined> {
  const isBad = (await readSignIn(host, url)).kind === 'bad';
  return inFolder(host, url, async (folder, name) => {
    const aside = `${name}.damaged-${host.newId()}`;
    if (isBad) await folder.move(name, folder, aside);
    // `exact`: even if the file was readable by others.
    await folder.replace(name, `${JSON.stringify(signInSchema.parse(signIn), null, 2)}\n`, {
      mode: 0o600,
      exact: true,
    });
    await folder.sync();
    return isBad ? `${folder.path}/${aside}` : undefined;
  });
}

export function removeSignIn(host: Host, url: URL): Promise<void> {
  return inFolder(host, url, async (folder, name) => {
    await folder.remove(name);
    await folder.sync();
  });
}

/** Held while a sign-in is read and changed. */
export function lockOf(host: Host, url: URL): string {
  return `${fileOf(host, url)}.lock`;
}

/** True if a token from the authorization server is allowed in a header. */
export function isUsableToken(text: string): boolean {
  return token.safeParse(text).success;
}

async function inFolder<T>(host: Host, url: URL, work: (folder: HeldFolder, name: string) => Promise<T>): Promise<T> {
  const file = fileOf(host, url);
  await host.files.makeFolder(dirname(file), 0o700);
  const folder = await host.files.holdFolder(await host.files.realpath(dirname(file)));
  try {
    return await work(folder, basename(file));
  } finally {
    await folder.close();
  }
}

function fileOf(host: Host, url: URL): string {
  return signInFile(coppiceHome(host.env), url.href);
}
