/** Builds a definition from fields and a body, with a note for everything that is wrong. Pure. */

import { MEMORY_SCOPES } from '../../protocol/agent-spawned.js';
import { EFFORT_LEVELS } from '../../protocol/commands.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';
import { type AgentDefinition, DEFAULT_MAX_TURNS, type DefinitionSource } from './agent-definition.js';
import { type DefinitionField, fieldNamed, type RawField } from './definition-fields.js';
import { normaliseName } from './definition-name.js';
import { choiceOf, countOf, hooksOf, namesOf, serversOf, shown, switchOf, textOf, wordOf } from './field-values.js';
import type { Note } from './note.js';
import { canonicalName, readTools } from './tool-list.js';

export type BuildQuery = {
  readonly fields: readonly RawField[];
  readonly prompt: string;
  /** Used if the fields give no name: the file name, or the key of a JSON object. */
  readonly fallbackName: string | undefined;
  readonly source: DefinitionSource;
};

export type Built = { readonly definition: AgentDefinition | undefined; readonly notes: readonly Note[] };

export function buildDefinition({ fields, prompt, fallbackName, source }: BuildQuery): Built {
  const notes: Note[] = [];
  const known = sortFields(fields, notes);
  /** Reads a field. If its value is invalid, adds a note with the value used instead. */
  const read = <T>(
    name: DefinitionField,
    as: (field: RawField) => T | undefined,
    expected: string,
    instead: string,
  ) => {
    const field = known.get(name);
    if (field === undefined) return undefined;
    const value = as(field);
    if (value === undefined && !isBlank(field)) {
      notes.push(warning(field.line, `${field.key}: expected ${expected}, found ${shown(field)}; ${instead}`));
    }
    return value;
  };
  const flag = (name: DefinitionField) => read(name, switchOf, 'true or false', 'false is used') ?? false;

  const name = readName(known.get('name'), fallbackName, notes);
  const description = readDescription(known.get('description'), prompt, notes);
  if (name === undefined) notes.push(failure('the agent has no name: add a line "name: …" (a-z, 0-9 and -)'));
  if (description === undefined) {
    notes.push(
      failure('the agent has no description and no prompt: add a line "description: …" that says when to use it'),
    );
  }
  if (name === undefined || description === undefined) return { definition: undefined, notes };
  if (prompt.trim() === '') notes.push(warning(undefined, 'the prompt is empty: write what the agent should do'));

  const { tools, spawns, disallowed } = readToolField(known.get('tools'), notes);
  const more = read('disallowedTools', namesOf, 'a list of tools', 'nothing is disallowed') ?? [];
  const definition: AgentDefinition = {
    ...name,
    description,
    tools,
    disallowedTools: [...new Set([...disallowed, ...more.map(canonicalName)])],
    model: readModel(known.get('model'), notes),
    maxTurns: read('maxTurns', countOf, 'a whole number above 0', `${DEFAULT_MAX_TURNS} is used`) ?? DEFAULT_MAX_TURNS,
    skills: read('skills', namesOf, 'a list of skills', 'no skills are loaded') ?? [],
    requiredMcpServers: read('requiredMcpServers', namesOf, 'a list of servers', 'no servers are required') ?? [],
    background: flag('background'),
    omitClaudeMd: flag('omitClaudeMd'),
    oneShot: flag('oneShot'),
    prompt,
    source,
    ...given({
      spawns,
      permissionMode: read(
        'permissionMode',
        (field) => choiceOf(field, PERMISSION_MODES),
        'a mode',
        'the default is used',
      ),
      mcpServers: read('mcpServers', serversOf, 'server names or configs', 'ignored'),
      hooks: read('hooks', hooksOf, 'hooks as in a settings file', 'its hooks are ignored'),
      memory: read('memory', (field) => choiceOf(field, MEMORY_SCOPES), MEMORY_SCOPES.join(', '), 'it has no memory'),
      isolation: read('isolation', isolationOf, 'worktree', 'it is not isolated'),
      effort: read('effort', effortOf, EFFORT_LEVELS.join(', '), 'ignored'),
      color: read('color', wordOf, 'a colour', 'ignored'),
      initialPrompt: read('initialPrompt', textOf, 'a text', 'ignored'),
    }),
  };
  return { definition, notes };
}

function sortFields(fields: readonly RawField[], notes: Note[]): ReadonlyMap<DefinitionField, RawField> {
  const known = new Map<DefinitionField, RawField>();
  const unknown: RawField[] = [];
  for (const field of fields) {
    const name = fieldNamed(field.key);
    const before = name === undefined ? undefined : known.get(name);
    if (name === undefined) unknown.push(field);
    else if (before?.key === name)
      notes.push(warning(field.line, `${field.key} is ignored, because ${name} is also given`));
    else {
      if (field.key !== name) notes.push(warning(field.line, `unknown field ${field.key}: read as ${name}`));
      known.set(name, field);
    }
  }
  if (unknown.length > 0) {
    const list = unknown.map(({ key, line }) => (line === undefined ? key : `${key} (line ${line})`)).join(', ');
    notes.push(warning(unknown[0]?.line, `unknown fields ignored: ${list}`));
  }
  return known;
}

function readName(
  field: RawField | undefined,
  fallback: string | undefined,
  notes: Note[],
): Pick<AgentDefinition, 'name' | 'writtenName'> | undefined {
  const written = field === undefined ? undefined : wordOf(field);
  const name = written === undefined ? undefined : normaliseName(written);
  if (written === undefined || name === undefined) {
    if (fallback !== undefined)
      notes.push(warning(field?.line, `the agent has no valid name: "${fallback}" is used, from the file name`));
    return fallback === undefined ? undefined : { name: fallback };
  }
  if (name === written) return { name };
  notes.push(warning(field?.line, `the name "${written}" has characters other than a-z, 0-9 and -: "${name}" is used`));
  return { name, writtenName: written };
}

function readDescription(field: RawField | undefined, prompt: string, notes: Note[]): string | undefined {
  const written = field === undefined ? '' : (textOf(field) ?? '').trim();
  if (written !== '') return field?.text === undefined ? written : withLineBreaks(written);
  const lines = prompt.split('\n').map((line) => line.trim());
  const line = lines.find((each) => /^[^#\s`<|-]/.test(each)) ?? lines.find((each) => each !== '');
  const description = line?.replace(/^#+\s*/, '').slice(0, 300);
  if (description === undefined || description === '') return undefined;
  notes.push(warning(field?.line, 'the agent has no description: the first line of its prompt is used'));
  return description;
}

/** Generated files often contain a literal `\n` in unquoted text where a line break was meant. */
function withLineBreaks(text: string): string {
  return /\\n(\\n|<|- )/.test(text) ? text.replaceAll('\\n', '\n').replaceAll('\\"', '"') : text;
}

function readToolField(field: RawField | undefined, notes: Note[]): ReturnType<typeof readTools> {
  if (field === undefined) return { tools: 'all', disallowed: [] };
  if (isBlank(field)) {
    notes.push(
      warning(field.line, `${field.key} is empty: the agent has all tools (write [] for none, or remove the line)`),
    );
    return { tools: 'all', disallowed: [] };
  }
  return readTools(field.value ?? field.text);
}

const MODEL_WORD = /\b(haiku|sonnet|opus|opusplan|inherit)\b/i;

function readModel(field: RawField | undefined, notes: Note[]): string {
  const word = field === undefined ? undefined : wordOf(field);
  if (field === undefined || word === undefined) {
    if (field !== undefined && !isBlank(field))
      notes.push(warning(field.line, 'model: expected a name; inherit is used'));
    return 'inherit';
  }
  if (!/[\s,]/.test(word)) return MODEL_WORD.exec(word)?.[0] === word ? word.toLowerCase() : word;
  const model = MODEL_WORD.exec(word)?.[0].toLowerCase() ?? 'inherit';
  notes.push(warning(field.line, `model: "${word.slice(0, 60)}" is not a single name; ${model} is used`));
  return model;
}

function isolationOf(field: RawField) {
  return choiceOf(field, ['worktree', 'none']);
}

function effortOf(field: RawField) {
  return choiceOf(field, EFFORT_LEVELS);
}

function isBlank(field: RawField): boolean {
  return field.value === null || field.value === undefined || field.value === '';
}

/** Only the members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined | 'none'> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== 'none');
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined | 'none'> };
}

function warning(line: number | undefined, message: string): Note {
  return { severity: 'warning', ...(line === undefined ? {} : { line }), message };
}

function failure(message: string): Note {
  return { severity: 'error', line: 1, message };
}
