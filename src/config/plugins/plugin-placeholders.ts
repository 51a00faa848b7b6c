/** Replaces `${NAME}` in a plugin's texts (EX-20). Pure. */

export type PluginPlaceholders = {
  readonly variables: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
};

const REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** For text that no shell reads. Inserted values are not expanded again; unknown names stay. */
export function replaceInText(text: string, placeholders: PluginPlaceholders): string {
  return text.replace(REFERENCE, (reference, name: string) => placeholderValue(name, placeholders) ?? reference);
}

function placeholderValue(name: string, { variables, options }: PluginPlaceholders): string | undefined {
  const key = /^user_config\.(.+)$/.exec(name)?.[1];
  const [from, wanted] = key === undefined ? [variables, name] : [options, key];
  return Object.hasOwn(from, wanted) ? from[wanted] : undefined;
}
