/** Finds line and column of each value in a JSON text, for error messages. Strict JSON, like JSON.parse. */

export type JsonPositions =
  | {
      readonly ok: true;
      /** The position of the value at a path. For an object member, the position of its key. */
      at(path: readonly PropertyKey[]): TextPosition | undefined;
      readonly duplicates: readonly { readonly path: string; readonly position: TextPosition }[];
    }
  | { readonly ok: false; readonly position: TextPosition; readonly message: string };

type TextPosition = { readonly line: number; readonly column: number };

const MAX_DEPTH = 200;

export function findJsonPositions(text: string): JsonPositions {
  const scan = new Scan(text);
  try {
    scan.document();
  } catch (error) {
    if (error instanceof Unexpected)
      return { ok: false, position: positionOf(text, error.offset), message: error.message };
    throw error;
  }
  return {
    ok: true,
    at: (path) => {
      const offset = scan.offsets.get(pathKey(path));
      return offset === undefined ? undefined : positionOf(text, offset);
    },
    duplicates: scan.duplicates.map(({ path, offset }) => ({
      path: path.join('.'),
      position: positionOf(text, offset),
    })),
  };
}

function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

function pathKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}

class Unexpected extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

class Scan {
  readonly offsets = new Map<string, number>();
  readonly duplicates: { readonly path: readonly string[]; readonly offset: number }[] = [];
  #position = 0;

  constructor(readonly text: string) {}

  document(): void {
    this.#value([], undefined);
    this.#space();
    if (this.#position < this.text.length) this.#fail('unexpected text after the end of the value');
  }

  #value(path: readonly string[], keyOffset: number | undefined): void {
    this.#space();
    if (path.length > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`);
    this.offsets.set(pathKey(path), keyOffset ?? this.#position);
    const next = this.text[this.#position];
    if (next === '{') this.#object(path);
    else if (next === '[') this.#array(path);
    else if (next === '"') this.#string();
    else this.#word(next);
  }

  #word(next: string | undefined): void {
    const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
    word.lastIndex = this.#position;
    if (word.exec(this.text) === null) this.#failAtValue(next);
    this.#position = word.lastIndex;
  }

  #object(path: readonly string[]): void {
    this.#position++;
    const seen = new Set<string>();
    this.#space();
    if (this.#take('}')) return;
    for (;;) {
      this.#space();
      const offset = this.#position;
      if (this.text[offset] !== '"') this.#failAtKey();
      const key = this.#string();
      const here = [...path, key];
      if (seen.has(key)) this.duplicates.push({ path: here, offset });
      seen.add(key);
      this.#space();
      if (!this.#take(':')) this.#fail(`":" is missing after the key ${JSON.stringify(key)}`);
      this.#value(here, offset);
      this.#space();
      if (this.#take('}')) return;
      if (!this.#take(',')) this.#fail('"," or "}" is missing');
    }
  }

  #array(path: readonly string[]): void {
    this.#position++;
    this.#space();
    if (this.#take(']')) return;
    for (let index = 0; ; index++) {
      this.#space();
      if (this.text[this.#position] === ']') this.#fail('trailing comma before "]": remove it');
      this.#value([...path, String(index)], undefined);
      this.#space();
      if (this.#take(']')) return;
      if (!this.#take(',')) this.#fail('"," or "]" is missing');
    }
  }

  #string(): string {
    const start = this.#position;
    // One character at a time: a regex with a repeated group overflows the stack on a long string.
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') {
      if (this.text.charCodeAt(end) < 0x20) {
        this.#position = end;
        this.#fail('a string continues after the end of the line: close it with " (write a line break as \\n)');
      }
      end += this.text[end] === '\\' ? 2 : 1;
    }
    if (end >= this.text.length) this.#fail('a string is not closed with "');
    this.#position = end + 1;
    try {
      return JSON.parse(this.text.slice(start, end + 1)) as string;
    } catch {
      this.#position = start;
      return this.#fail('a string contains an invalid escape (write \\\\ for a backslash)');
    }
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.text[this.#position] ?? '')) this.#position++;
    const next = this.text.slice(this.#position, this.#position + 2);
    if (next === '//' || next === '/*') this.#fail('comments are not allowed in this file');
  }

  #take(character: string): boolean {
    if (this.text[this.#position] !== character) return false;
    this.#position++;
    return true;
  }

  #failAtKey(): never {
    if (this.text[this.#position] === '}') this.#fail('trailing comma before "}": remove it');
    return this.#fail('expected a key in double quotes');
  }

  #failAtValue(next: string | undefined): never {
    if (next === undefined) this.#fail('unexpected end of the file');
    if (next === "'") this.#fail('strings must be in double quotes');
    return this.#fail('expected a value (a string in double quotes, a number, true, false, null, a list or an object)');
  }

  #fail(message: string): never {
    throw new Unexpected(this.#position, message);
  }
}
