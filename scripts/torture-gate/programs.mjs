/** The commands that lines are filled with: %f is a file, %d a folder, %o where something would be written. */

import { readFileSync } from 'node:fs';

/** Harmless as they stand, with harmless paths. */
export const READERS = readCommands('readers.txt');

/** These write, run or reveal through an option, a builtin or a variable. */
export const GADGETS = readCommands('gadgets.txt');

/** What may start while only reading: the readers, what they run themselves, and the shell's own wrappers. */
export const READING_PROGRAMS = new Set(
  `bash sh dash env timeout nice nohup stdbuf ionice setsid xargs find
  cat head tail wc sort uniq cut tr nl tac rev od xxd strings base64 base32 sha1sum sha256sum sha512sum md5sum cksum sum b2sum
  fold fmt expand unexpand column paste comm cmp diff join grep egrep fgrep sed awk gawk mawk original-awk jq ls dir vdir stat file du df test [
  basename dirname realpath readlink echo printf pwd date true false seq id uname whoami which git node tar gzip gunzip zcat
  man less more rg tree hexdump numfmt factor expr nproc arch hostname tty sleep pr ptx shuf tsort uptime groups logname printenv yes time
  bzcat bzip2 xzcat xz zstdcat zstd zgrep zdiff zipinfo unzip getconf locale dpkg-query
  ps pathchk sdiff diff3 look lsof ss netstat free w who last pgrep vmstat lscpu lsblk`
    .trim()
    .split(/\s+/),
);

/** What a mode that accepts edits starts besides. */
export const EDITING_PROGRAMS = new Set('mkdir touch cp mv rm rmdir ln chmod tee sed git'.split(' '));

/** Denied by a rule in some sessions, and harmless. */
export const FORBIDDEN_PROGRAM = 'factor';

export function readCommands(name) {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');
}
