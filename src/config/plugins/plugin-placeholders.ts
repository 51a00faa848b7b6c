/** What stands for `${NAME}` in a plugin's texts (EX-20). Pure. */

export type PluginPlaceholders = {
  readonly variables: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
};

const REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** In a text that no shell reads. Once: what is put in is not looked at again. What is not known stays. */
export function replaceInText(text: string, words: PluginPlaceholders): string {
  return text.replace(REFERENCE, (reference, name: string) => wordFor(name, words) ?? reference);
}

function wordFor(name: string, { variables, options }: PluginPlaceholders): string | undefined {
  const key = /^user_config\.(.+)$/.exec(name)?.[1];
  const [from, wanted] = key === undefined ? [variables, name] : [options, key];
  return Object.hasOwn(from, wanted) ? from[wanted] : undefined;
}
