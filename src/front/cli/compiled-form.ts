/**
 * V8's compiled form of a script, in a file next to it like Python's `__pycache__`, or under our own home where the
 * installation can't be written to. It is optional: if it is missing, damaged, from another V8, or can't be written,
 * the program starts without it.
 */

/** V8 trusts what it is given and may crash on damaged data, so the file ends with a checksum. */
const CHECKSUM_BYTES = 20;

/** How many files to keep under our own home; those of earlier versions are not needed. */
const MOST_AT_HOME = 12;

export function readCompiled(script: string): Buffer | undefined {
  const { adjacent, atHome } = placesOf(script);
  return readWhole(adjacent) ?? (atHome === undefined ? undefined : readWhole(atHome, true));
}

/** Never throws. */
export function keepCompiled(script: string, compiled: Buffer): void {
  const { adjacent, atHome } = placesOf(script);
  const content = Buffer.concat([compiled, checksum(compiled)]);
  if (writeWhole(adjacent, content, 0o644) || atHome === undefined) return;
  const fs = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  try {
    fs.mkdirSync(dirname(atHome), { recursive: true, mode: 0o700 });
    if (writeWhole(atHome, content, 0o600)) removeOldest(dirname(atHome));
  } catch {
    // There is no home either.
  }
}

function placesOf(script: string): { readonly adjacent: string; readonly atHome: string | undefined } {
  const { basename, join } = process.getBuiltinModule('node:path');
  const adjacent = `${script}.${process.versions.v8}-${process.arch}${flagsTag()}.cache`;
  const home = ownHome();
  return { adjacent, atHome: home === undefined ? undefined : join(home, 'compiled', basename(adjacent)) };
}

/** The compiled form depends on V8's flags. Without a tag, runs with and without flags would replace each other's. */
function flagsTag(): string {
  const { NODE_OPTIONS = '' } = process.env;
  if (process.execArgv.length === 0 && NODE_OPTIONS === '') return '';
  return `-${checksum(Buffer.from([NODE_OPTIONS, ...process.execArgv].join(' ')))
    .toString('hex')
    .slice(0, 8)}`;
}

/** As in config/paths.ts, which is not loaded yet. Never a relative path: the file is run as code. */
function ownHome(): string | undefined {
  const { COPPICE_HOME, HOME } = process.env;
  const { isAbsolute, join } = process.getBuiltinModule('node:path');
  try {
    const own = COPPICE_HOME?.trim()
      ? COPPICE_HOME
      : join(HOME ?? process.getBuiltinModule('node:os').homedir(), '.coppice');
    return isAbsolute(own) ? own : undefined;
  } catch {
    return undefined;
  }
}

/** With `own`, only a file that nobody else could have written: it is code. */
function readWhole(file: string, own = false): Buffer | undefined {
  const fs = process.getBuiltinModule('node:fs');
  try {
    const handle = fs.openSync(file, 'r');
    try {
      const { uid, mode } = fs.fstatSync(handle);
      if (own && process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined;
      const content = fs.readFileSync(handle);
      const compiled = content.subarray(0, -CHECKSUM_BYTES);
      return checksum(compiled).equals(content.subarray(-CHECKSUM_BYTES)) ? compiled : undefined;
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** Not for secrecy. The module is loaded by every session anyway, unlike the one with CRC-32. */
function checksum(content: Buffer): Buffer {
  return process.getBuiltinModule('node:crypto').createHash('sha1').update(content).digest();
}

/** Writes atomically: another process may be starting. */
function writeWhole(file: string, content: Buffer, mode: number): boolean {
  const fs = process.getBuiltinModule('node:fs');
  try {
    const temporary = `${file}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, content, { mode });
    fs.renameSync(temporary, file);
    return true;
  } catch {
    // This user may not write here.
    return false;
  }
}

function removeOldest(folder: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const files = fs.readdirSync(folder).map((name) => join(folder, name));
  const byAge = files.map((file) => ({ file, at: fs.statSync(file).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(MOST_AT_HOME)) fs.rmSync(file, { force: true });
}
