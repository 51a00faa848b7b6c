/** The fields of a definition and their accepted spellings. */

const DEFINITION_FIELDS = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'model',
  'permissionMode',
  'maxTurns',
  'skills',
  'mcpServers',
  'requiredMcpServers',
  'hooks',
  'memory',
  'background',
  'isolation',
  'effort',
  'color',
  'initialPrompt',
  'omitClaudeMd',
  'oneShot',
] as const;

export type DefinitionField = (typeof DEFINITION_FIELDS)[number];

/** One field as found in the file, before it is interpreted. */
export type RawField = {
  readonly key: string;
  /** Line in the file, from 1. */
  readonly line?: number;
  readonly value: unknown;
  /** The raw text of the value, if it was unquoted or could not be parsed as a structure. */
  readonly text?: string;
};

/** The spelling and types of the fields of one kind of file. */
export type FieldDescription = {
  /** Returns the field for any accepted spelling of its key. */
  readonly named: (key: string) => string | undefined;
  /** Fields that are always text, even if YAML would parse another type. */
  readonly texts: ReadonlySet<string>;
  /** Fields that contain nested fields. */
  readonly structures: ReadonlySet<string>;
};

const TEXT_FIELDS: ReadonlySet<DefinitionField> = new Set([
  'name',
  'description',
  'model',
  'color',
  'initialPrompt',
  'permissionMode',
  'memory',
  'isolation',
  'effort',
]);

const SPELLINGS: Readonly<Record<string, DefinitionField>> = {
  ...Object.fromEntries(DEFINITION_FIELDS.map((field) => [squeezed(field), field])),
  agentname: 'name',
  desc: 'description',
  whentouse: 'description',
  tool: 'tools',
  allowedtools: 'tools',
  disallowedtool: 'disallowedTools',
  deniedtools: 'disallowedTools',
  denytools: 'disallowedTools',
  permission: 'permissionMode',
  maxturn: 'maxTurns',
  skill: 'skills',
  mcpserver: 'mcpServers',
  requiredmcpserver: 'requiredMcpServers',
  hook: 'hooks',
  runinbackground: 'background',
  reasoningeffort: 'effort',
  effortlevel: 'effort',
  colour: 'color',
};

export function fieldNamed(key: string): DefinitionField | undefined {
  const squeezedKey = squeezed(key);
  return Object.hasOwn(SPELLINGS, squeezedKey) ? SPELLINGS[squeezedKey] : undefined;
}

export const AGENT_FIELDS: FieldDescription = {
  named: fieldNamed,
  texts: TEXT_FIELDS,
  structures: new Set<DefinitionField>(['hooks', 'mcpServers']),
};

/** Normalises case, spaces, hyphens and underscores, so that all spellings compare equal. */
export function squeezed(key: string): string {
  return key.toLowerCase().replace(/[\s_-]+/g, '');
}
