/** Parses the text of a skill or a command, with a problem for everything that is wrong (EX-8). Pure. */

import { EFFORT_LEVELS } from '../../protocol/commands.js';
import { oneLine } from '../../protocol/text/one-line.js';
import type { DefinitionOrigin } from '../definitions/definition-cache.js';
import type { RawField } from '../definitions/definition-fields.js';
import { choiceOf, hooksOf, shown, switchOf, textOf, wordOf } from '../definitions/field-values.js';
import type { Note } from '../definitions/note.js';
import type { Problem } from '../problem.js';
import { argumentsOf, patternsOf, rulesOf } from './read-lists.js';
import { readSkillText, type SkillText, withoutComments } from './read-skill-text.js';
import type { Skill } from './skill.js';
import { misspeltField, type SkillField, skillFieldNamed, writtenField } from './skill-fields.js';
import { isSkillName, type NamedFile } from './skill-name.js';

export type ParsedSkill = {
  /** Undefined: the file is skipped, and a problem gives the reason. */
  readonly definition: Skill | undefined;
  readonly problems: readonly Problem[];
};

export type SkillFile = NamedFile & { readonly place: DefinitionOrigin<Skill> };

export function parseSkill(text: string, { kind, name, place, renamed }: SkillFile): ParsedSkill {
  const { file, plugin } = place.source;
  const skill = new Reading(readSkillText(text), kind);
  const { read } = skill;
  if (renamed !== undefined) skill.warn(undefined, renamed);
  if (kind === 'command' && skill.isDocument(file)) {
    const message = 'skipped: looks like a document, not a command (no front matter)';
    return { definition: undefined, problems: [{ severity: 'warning', file, line: 1, message }] };
  }
  const written = read('name', wordOf, 'a name', 'ignored');
  const own = plugin === undefined ? name : skill.ownName(written, name);
  if (!isSkillName(own)) {
    const what = kind === 'skill' ? 'folder' : 'file';
    const message = `skipped: the name "${own}" must have letters, digits, "-", "_", "." and ":" only: rename the ${what}`;
    return { definition: undefined, problems: [{ severity: 'error', file, line: 1, message }] };
  }
  const model = read('model', modelOf, 'one name of a model', 'the session’s is used');
  const definition: Skill = {
    name: plugin === undefined ? own : `${plugin}:${own}`,
    kind,
    description: skill.description(),
    argumentNames: skill.argumentNames(),
    modelInvocable: skill.isModelInvocable(),
    userInvocable: read('userInvocable', switchOf, 'true or false', 'it can be typed') ?? true,
    allowedTools: skill.rules('allowedTools', 'nothing is allowed by it'),
    disallowedTools: skill.rules('disallowedTools', 'nothing is forbidden by it'),
    background: read('background', switchOf, 'true or false', 'false is used') ?? false,
    paths: kind === 'command' ? [] : (read('paths', patternsOf, 'a list of patterns', 'ignored') ?? []),
    prompt: skill.text.body,
    ...place,
    ...given({
      label: kind === 'skill' && written !== own ? written : undefined,
      whenToUse: read('whenToUse', trimmedOf, 'a text', 'ignored'),
      argumentHint: read('argumentHint', trimmedOf, 'a text', 'ignored'),
      model: model === 'inherit' ? undefined : model,
      effort: read('effort', (field) => choiceOf(field, EFFORT_LEVELS), EFFORT_LEVELS.join(', '), 'ignored'),
      context: read('context', (field) => choiceOf(field, ['fork']), 'fork', 'it runs in the conversation'),
      agent: read('agent', wordOf, 'a kind of agent', 'general-purpose is used'),
      hooks: read('hooks', hooksOf, 'hooks as in a settings file', 'its hooks are ignored'),
      shell: read('shell', (field) => choiceOf(field, ['bash', 'powershell']), 'bash or powershell', 'bash is used'),
    }),
  };
  if (definition.prompt === '') skill.warn(undefined, 'it has no text below the front matter: write what to do');
  return { definition, problems: skill.problems(file) };
}

/** Files that are often stored next to commands. */
const DOCUMENT = /\/(readme|changelog|contributing|license)\.(md|markdown)$/i;

class Reading {
  readonly #known = new Map<SkillField, RawField>();
  readonly #disabling: RawField[] = [];
  readonly #notes: Note[];
  #misspeltDisabling = false;

  constructor(
    readonly text: SkillText,
    readonly kind: Skill['kind'],
  ) {
    this.#notes = [...text.notes];
    let isReported = false;
    for (const field of text.fields) {
      const name = skillFieldNamed(field.key);
      if (name === 'disableModelInvocation') this.#disabling.push(field);
      if (name !== undefined) this.#known.set(name, field);
      else {
        const meant = misspeltField(field.key);
        if (meant === 'disableModelInvocation') this.#misspeltDisabling = true;
        if (meant !== undefined && (!isReported || meant === 'disableModelInvocation')) {
          isReported = true;
          const then = meant === 'disableModelInvocation' ? ` ${FOR_NOW}` : '';
          this.warn(field.line, `unknown field ${field.key}, ignored: did you mean ${writtenField(meant)}?${then}`);
        }
      }
    }
    if (kind === 'command' && this.#known.has('paths'))
      this.warn(this.#known.get('paths')?.line, 'paths is ignored: commands have none (make it a skill to use them)');
  }

  warn(line: number | undefined, message: string): void {
    this.#notes.push({ severity: 'warning', ...(line === undefined ? {} : { line }), message });
  }

  problems(file: string): readonly Problem[] {
    return this.#notes.map(({ severity, line = 1, message }) => ({ severity, file, line, message }));
  }

  /** Reads a field. If its value is invalid, adds a note with the value used instead. */
  readonly read = <T>(
    name: SkillField,
    as: (field: RawField) => T | undefined,
    expected: string,
    instead: string,
  ): T | undefined => {
    const field = this.#known.get(name);
    if (field === undefined) return undefined;
    const value = as(field);
    const isBlank = field.value === null || field.value === undefined || field.value === '';
    if (value === undefined && !isBlank)
      this.warn(field.line, `${field.key}: expected ${expected}, found ${shown(field)}; ${instead}`);
    return value;
  };

  isDocument(file: string): boolean {
    return this.text.isBare === true && DOCUMENT.test(file);
  }

  /** In a plugin, the `name` field names the skill (EX-8). */
  ownName(written: string | undefined, fromPath: string): string {
    if (this.kind === 'command' || written === undefined) return fromPath;
    if (isSkillName(written)) return written;
    this.warn(
      this.#known.get('name')?.line,
      `the name "${written}" must have letters, digits, "-", "_", "." and ":" only: "${fromPath}" is used`,
    );
    return fromPath;
  }

  description(): string {
    const written = this.read('description', trimmedOf, 'a text', 'the first paragraph is used') ?? '';
    if (written !== '') return written;
    const first = firstParagraph(this.text.body);
    if (this.kind === 'skill')
      this.warn(
        this.#known.get('description')?.line,
        first === ''
          ? 'it has no description: add a line "description: …" that says when to use it'
          : 'it has no description: its first paragraph is used',
      );
    return first;
  }

  argumentNames(): readonly string[] {
    const names = (this.read('arguments', argumentsOf, 'names', 'ignored') ?? []).slice(0, MOST_ARGUMENTS);
    const odd = names.find((name, index) => !/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) || names.indexOf(name) < index);
    if (odd !== undefined)
      this.warn(
        this.#known.get('arguments')?.line,
        `arguments: "${odd}" is not a valid name, or is a duplicate: use letters, digits, - and _`,
      );
    return names;
  }

  rules(name: 'allowedTools' | 'disallowedTools', instead: string): readonly string[] {
    const rules = this.read(name, rulesOf, 'a list of tools', instead) ?? [];
    const torn = rules.find((rule) => rule.split('(').length > rule.split(')').length);
    if (torn === undefined) return rules;
    const field = this.#known.get(name);
    this.warn(field?.line, `${field?.key}: a ")" is missing in "${torn.slice(0, 60)}": it is left out`);
    return rules.filter((rule) => rule !== torn);
  }

  /** False if anything may have been meant to disable it for the model (EX-8). */
  isModelInvocable(): boolean {
    const { doubt } = this.text;
    if (doubt !== undefined) this.warn(doubt.line, `${doubt.message}. ${FOR_NOW}`);
    let isInvocable = doubt === undefined && !this.#misspeltDisabling;
    for (const field of this.#disabling) {
      const value = switchOf(field);
      if (value === undefined)
        this.warn(field.line, `${field.key}: expected true or false, found ${shown(field)}; true is used`);
      if (value !== false) isInvocable = false;
    }
    return isInvocable;
  }
}

const FOR_NOW = 'Until then only you can run it, not the model: a "disable-model-invocation" may be lost';

/** Each of them is searched for at every `$`. */
const MOST_ARGUMENTS = 100;
const MAX_PARAGRAPH = 1_000;

function firstParagraph(body: string): string {
  const paragraphs = withoutComments(body).split(/\n\s*\n/);
  const texts = paragraphs.map((paragraph) => {
    const lines = paragraph.split('\n').map((line) => line.trim());
    return lines.filter((line) => line !== '' && !/^(#{1,6}\s|```|~~~|-{3,}$|\*{3,}$|\|)/.test(line)).join(' ');
  });
  const heading = /^#{1,6}\s+(.*)$/m.exec(body)?.[1] ?? '';
  return oneLine(texts.find((text) => text !== '') ?? heading).slice(0, MAX_PARAGRAPH);
}

function trimmedOf(field: RawField): string | undefined {
  const text = textOf(field)?.trim();
  return text === '' ? undefined : text;
}

function modelOf(field: RawField): string | undefined {
  const word = wordOf(field);
  if (word === undefined || /[\s,]/.test(word)) return undefined;
  return /^(haiku|sonnet|opus|opusplan|inherit)$/i.test(word) ? word.toLowerCase() : word;
}

function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
