/** The placeholders in a skill's text, and where they are ignored (EX-12). Pure. */

export type Placeholder =
  /** `$ARGUMENTS`. */
  | { readonly kind: 'all' }
  /** `$ARGUMENTS[n]`, from 0. */
  | { readonly kind: 'index'; readonly index: number }
  /** `$n`: counted from 0 or from 1, depending on the whole text. */
  | { readonly kind: 'position'; readonly number: number }
  /** `$name`; its index among the declared names. */
  | { readonly kind: 'named'; readonly index: number }
  /** `${NAME}`. */
  | { readonly kind: 'variable'; readonly name: string };

export type Found = { readonly placeholder: Placeholder; readonly written: string };
export type Piece = string | Found;

/** Reads a placeholder at a `$`; undefined if there is none. */
export type ReadPlaceholder = (text: string, at: number) => Found | undefined;

export type KnownNames = {
  readonly argumentNames: readonly string[];
  isVariable(name: string): boolean;
};

const ALL = /\$ARGUMENTS(?:\[(\d{1,6})\]|(?![\p{L}\p{N}_]|\[\d+\]))/uy;
/** Not `$1.50`, `$1,000`, `$1M`, `$100`. */
const POSITION = /\$(0|[1-9]\d?)(?![\p{L}\p{N}_]|[.,]\d)/uy;
const VARIABLE = /\$\{([^{}\s]{1,200})\}/uy;
const WORD_CHAR = /[\p{L}\p{N}_]/uy;

export function placeholderReader({ argumentNames, isVariable }: KnownNames): ReadPlaceholder {
  const names = argumentNames
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => name !== '' && !/^\d/.test(name))
    .sort((a, b) => b.name.length - a.name.length || a.index - b.index);
  return (text, at) => {
    const all = matchAt(ALL, text, at);
    if (all !== undefined) {
      const placeholder: Placeholder =
        all[1] === undefined ? { kind: 'all' } : { kind: 'index', index: Number(all[1]) };
      return { placeholder, written: all[0] };
    }
    const position = matchAt(POSITION, text, at);
    if (position !== undefined) {
      return { placeholder: { kind: 'position', number: Number(position[1]) }, written: position[0] };
    }
    const variable = matchAt(VARIABLE, text, at);
    const braced = variable?.[1];
    if (variable !== undefined && braced !== undefined && isVariable(braced)) {
      return { placeholder: { kind: 'variable', name: braced }, written: variable[0] };
    }
    const named = names.find(
      ({ name }) => text.startsWith(name, at + 1) && matchAt(WORD_CHAR, text, at + 1 + name.length) === undefined,
    );
    return named && { placeholder: { kind: 'named', index: named.index }, written: `$${named.name}` };
  };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** In code, `$1` and its backslash belong to the code. */
export function readOutsideShell(text: string, kind: 'prose' | 'code', read: ReadPlaceholder): readonly Piece[] {
  const pieces: Piece[] = [];
  let begun = 0;
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at)) {
    const found = read(text, at);
    const isPosition =
      found?.placeholder.kind === 'position' || (found === undefined && /\d/.test(text.charAt(at + 1)));
    if ((found === undefined && !isPosition) || (isPosition && kind === 'code')) {
      at += 1;
    } else if (isEscaped(text, begun, at)) {
      pieces.push(text.slice(begun, at - 1));
      begun = at;
      at += 1;
    } else if (found === undefined || (isPosition && text.charAt(at - 1) === '$')) {
      at += 1;
    } else {
      pieces.push(text.slice(begun, at), found);
      at += found.written.length;
      begun = at;
    }
  }
  return [...pieces, text.slice(begun)];
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, begun: number, at: number): boolean {
  let count = 0;
  while (at - count > begun && text.charAt(at - count - 1) === '\\') count += 1;
  return count % 2 === 1;
}
