/** Write, Edit and NotebookEdit, as every surface knows them. */

import type { FactsAbout } from './tool-facts.js';

export const writeFacts: FactsAbout<'Write', WriteInput, WriteResponse> = {
  name: 'Write',
  kind: 'edit',
  effect: 'changes',
  rule: { matches: 'path', coveredBy: 'Edit' },
  path: 'file_path',
  main: ['file_path'],
  result: 'diff',
  change: { of: 'file', after: 'content' },
};

export const editFacts: FactsAbout<'Edit', EditInput, EditResponse> = {
  name: 'Edit',
  kind: 'edit',
  effect: 'changes',
  rule: { matches: 'path', covers: ['edit'] },
  path: 'file_path',
  main: ['file_path'],
  result: 'diff',
  change: { of: 'part', before: 'old_string', after: 'new_string' },
};

export const notebookEditFacts: FactsAbout<'NotebookEdit', NotebookEditInput, NotebookEditResponse> = {
  name: 'NotebookEdit',
  kind: 'edit',
  effect: 'changes',
  rule: { matches: 'path', coveredBy: 'Edit' },
  path: 'notebook_path',
  main: ['notebook_path'],
  result: 'none',
  change: { of: 'cell', after: 'new_source', mode: 'edit_mode' },
};

export type WriteInput = { readonly file_path: string; readonly content: string };

export type EditInput = {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
};

export type NotebookEditInput = {
  readonly notebook_path: string;
  readonly cell_id?: string | undefined;
  readonly new_source: string;
  readonly cell_type?: 'code' | 'markdown' | undefined;
  readonly edit_mode?: 'replace' | 'insert' | 'delete' | undefined;
};

/** A piece of a diff; its lines begin with a space, `+` or `-`. */
export type PatchHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/** What Write and Edit have in common. Of a file over a million bytes neither what it held nor the difference. */
export type FileChangeResponse = {
  readonly filePath: string;
  readonly success: true;
  /** Null: there was none, or it is too long. */
  readonly originalFile: string | null;
  readonly structuredPatch: readonly PatchHunk[];
};

export type WriteResponse = FileChangeResponse & { readonly type: 'create' | 'update'; readonly content: string };

export type EditResponse = FileChangeResponse & {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
  /** Always false: what is asked about is what is written. */
  readonly userModified: boolean;
};

export type NotebookEditResponse = {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly cell_type?: string;
  readonly new_source: string;
  readonly edit_mode: 'replace' | 'insert' | 'delete';
  readonly language: string;
  readonly error: string;
};
