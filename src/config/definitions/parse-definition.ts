/** Parses the text of a definition file into a definition and its problems. Pure; executes nothing from the file. */

import { basename } from 'node:path';
import type { Problem } from '../problem.js';
import type { AgentDefinition, DefinitionSource } from './agent-definition.js';
import { buildDefinition } from './build-definition.js';
import { fieldNamed } from './definition-fields.js';
import { nameFromFile } from './definition-name.js';
import type { Note } from './note.js';
import { readFields } from './read-fields.js';
import { splitFrontMatter } from './split-front-matter.js';

export type ParsedDefinition = {
  /** Undefined: the file is skipped, and a problem gives the reason (an error; a warning for plain documents). */
  readonly definition: AgentDefinition | undefined;
  readonly problems: readonly Problem[];
};

/** Documents that are often stored next to definitions. */
const DOCUMENT =
  /^(readme|changelog|contributing|license|claude|agents|gemini|index|template|code_of_conduct|security)([._-].*)?\.(md|markdown)$/i;

/** Parsing YAML takes much longer than reading text. */
const MAX_FRONT_MATTER = 64 * 1024;
const MAX_LINES = 10_000;

export function parseDefinition(text: string, source: DefinitionSource): ParsedDefinition {
  const skipped = (severity: Note['severity'], line: number, message: string): ParsedDefinition => ({
    definition: undefined,
    problems: [{ severity, file: source.file, line, message: `skipped: ${message}` }],
  });
  const split = splitFrontMatter(text);
  switch (split.kind) {
    case 'refused':
      return skipped('error', split.line, split.reason);
    case 'none':
      if (DOCUMENT.test(basename(source.file)))
        return skipped('warning', 1, 'looks like a document, not an agent (no front matter)');
      return skipped(
        'error',
        1,
        'no front matter: start the file with the lines ---, "name: …", "description: …", ---',
      );
    case 'found': {
      if (split.lines.length > MAX_LINES || split.lines.join('\n').length > MAX_FRONT_MATTER) {
        return skipped('error', split.firstLine, `the front matter has more than ${MAX_FRONT_MATTER} characters`);
      }
      const { fields, notes } = readFields(split.lines, split.firstLine);
      if (!fields.some((field) => fieldNamed(field.key) !== undefined)) {
        return skipped(
          'error',
          split.firstLine,
          'the front matter has no agent fields: add "name: …" and "description: …"',
        );
      }
      const built = buildDefinition({ fields, prompt: split.body, fallbackName: nameFromFile(source.file), source });
      const all = [...split.notes, ...notes, ...built.notes];
      return { definition: built.definition, problems: all.map((note) => toProblem(note, source.file)) };
    }
    default:
      return split satisfies never;
  }
}

function toProblem(note: Note, file: string): Problem {
  const message = note.severity === 'error' ? `skipped: ${note.message}` : note.message;
  return { severity: note.severity, file, line: note.line ?? 1, message };
}
