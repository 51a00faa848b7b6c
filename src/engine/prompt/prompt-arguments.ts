/** The words after `/mcp__server__prompt` as the prompt's arguments, by their declared order. */

export type PromptArgument = { readonly name: string; readonly description?: string; readonly required?: boolean };

/** Quotes hold words together; a backslash takes the next letter as it is, but not within '…'. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at);
    if (letter === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else word = (word ?? '') + letter;
    } else if ((letter === '"' || letter === "'") && (word === undefined || letter === '"')) {
      // An apostrophe within a word is one.
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + letter;
    }
  }
  return word === undefined ? words : [...words, word];
}

export type Assigned =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly missing: string };

/** The last argument takes all that is left. */
export function assignArguments(declared: readonly PromptArgument[], words: readonly string[]): Assigned {
  const last = declared.length - 1;
  const values = declared.map(({ name }, index): [string, string | undefined] => {
    return [name, index === last && words.length > declared.length ? words.slice(last).join(' ') : words[index]];
  });
  const missing = declared.filter(({ required }, index) => required === true && (values[index]?.[1] ?? '') === '');
  if (missing.length > 0) return { ok: false, missing: missing.map(describeArgument).join(' and ') };
  return {
    ok: true,
    values: Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

function describeArgument({ name, description }: PromptArgument): string {
  return `"${name}"${description ? ` (${description.replace(/\s+/g, ' ').slice(0, 200)})` : ''}`;
}

export function describeUse(command: string, declared: readonly PromptArgument[]): string {
  return [`/${command}`, ...declared.map(({ name, required }) => (required === true ? `<${name}>` : `[${name}]`))].join(
    ' ',
  );
}
