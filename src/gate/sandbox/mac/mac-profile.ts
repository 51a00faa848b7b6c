/** The profile of macOS's `sandbox-exec` for a command that only reads. Pure text. */

export type MacProfile = {
  /** Read-only: roots, git folders, programs; files or folders, links resolved. */
  readonly shown: readonly string[];
  /** The names by which a folder was reached: only its links can be read. */
  readonly links: readonly string[];
  /** Credentials and our own state, where the home is shown. */
  readonly secrets: readonly string[];
  /** Shown although it may be inside our own state. */
  readonly again: readonly string[];
  /** What the person denied. */
  readonly denied: readonly string[];
  /** The only folder that can be written. */
  readonly temporary: string;
};

const SYSTEM =
  `/System /usr /bin /sbin /Library /opt /Applications/Xcode.app /private/var/select /private/var/db/timezone
  /private/var/db/dyld /private/var/db/xcode_select_link /nix`.split(/\s+/);
/** Of `/etc` only what programs need to start. */
const ETC = `/private/etc/localtime /private/etc/locale /private/etc/shells /private/etc/services /private/etc/protocols
  /private/etc/manpaths /private/etc/manpaths.d /private/etc/paths /private/etc/paths.d /private/etc/terminfo`.split(
  /\s+/,
);
const DEVICES = '/dev/null /dev/zero /dev/random /dev/urandom /dev/fd /dev/stdin /dev/stdout /dev/stderr'.split(' ');

/** Of several rules about a file the last counts. */
export function macProfile({ shown, links, secrets, again, denied, temporary }: MacProfile): string {
  const folders = [...SYSTEM, ...ETC, ...DEVICES, ...shown];
  return [
    '(version 1)',
    '(deny default)',
    '(deny network*)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    // Names of users.
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    // The way to a folder, but not what else is in the folders on it.
    '(allow file-read-metadata)',
    `(allow file-read* ${['(literal "/")', ...links.map(literal), ...folders.map(subpath)].join(' ')})`,
    ...(secrets.length > 0 ? [`(deny file-read* ${secrets.map(subpath).join(' ')})`] : []),
    `(allow file-read* ${[temporary, ...again].map(subpath).join(' ')})`,
    `(allow file-write* ${subpath(temporary)})`,
    `(allow file-write-data ${['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr'].map(literal).join(' ')} (subpath "/dev/fd"))`,
    ...(denied.length > 0 ? [`(deny file-read* ${denied.map(subpath).join(' ')})`] : []),
  ].join('\n');
}

const subpath = (path: string) => `(subpath ${quote(path)})`;
const literal = (path: string) => `(literal ${quote(path)})`;

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
