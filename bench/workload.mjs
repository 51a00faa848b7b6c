/**
 * The delegation workload, as a scenario for the simulated model: the parent reads 4 files of 34 KB in 4 turns and
 * starts M children in one turn; each child reads two files and ends; then the parent ends.
 */

import { join } from 'node:path';
import { writeFiles } from './stage.mjs';

export const PROMPT = 'Read the four files, then hand out the work.';
const PARENT_FILES = 4;
const FILE_BYTES = 34_000;

/** The total number of requests: 4 reads, the turn that starts the children, the last turn, and 3 per child. */
export function requestsOf(children) {
  return PARENT_FILES + 2 + 3 * children;
}

export async function prepareWorkload(stage) {
  await writeFiles(stage, 'parent', PARENT_FILES, FILE_BYTES);
  await writeFiles(stage, 'child', 2, 2_000);
}

/** `heard` is called for every request with its sender (`parent`, or a child's number) and the sender's count. */
export function workloadScenario(stage, children, heard = () => {}) {
  const read = (name) => [{ tool: 'Read', input: { file_path: join(stage.project, name) } }];
  const asked = new Map();
  const reply = async (request) => {
    const child = request.said.map((text) => /task of child (\d+)\b/.exec(text)?.[1]).find(Boolean);
    const who = child ?? 'parent';
    const nth = (asked.get(who) ?? 0) + 1;
    asked.set(who, nth);
    await heard({ who, nth, request });
    if (child !== undefined) return nth <= 2 ? read(`child${nth}.txt`) : `Child ${child} is done.`;
    if (nth <= PARENT_FILES) return read(`parent${nth}.txt`);
    if (nth === PARENT_FILES + 1) return Array.from({ length: children }, (_, index) => startChild(index + 1));
    return 'All is done.';
  };
  return [{ name: 'workload', reply }];
}

function startChild(number) {
  const prompt = `This is the task of child ${number}: read child1.txt, then child2.txt, and say that you are done.`;
  return { tool: 'Agent', input: { description: `Child ${number}`, prompt, fork: true } };
}
