/** The words after `/mcp__server__prompt` as the prompt's arguments, by their declared order. */

export type PromptArgument = { readonly name: string; readonly description?: string; readonly required?: boolean };

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
