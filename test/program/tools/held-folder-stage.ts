/** What the tests of held-folder.test.ts share with those of test:long. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { editTool } from '../../../src/tools/edit/edit.js';
import { writeTool } from '../../../src/tools/edit/write.js';
import { notebookEditTool } from '../../../src/tools/notebook/notebook-edit.js';
import { readTool } from '../../../src/tools/read/read.js';
import { globTool } from '../../../src/tools/search/glob.js';
import { grepTool } from '../../../src/tools/search/grep.js';
import type { Tool } from '../../../src/tools/tool.js';

export const [write, edit, read, glob, grep, notebookEdit] = [
  writeTool,
  editTool,
  readTool,
  globTool,
  grepTool,
  notebookEditTool,
] as Tool[];

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
