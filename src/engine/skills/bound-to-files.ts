/** What a skill's grants name: with another script there, it is another skill. */

import { createFileScan, hashNamedFiles, type NamedFiles } from '../../config/approvals/named-files.js';
import type { Skill } from '../../config/skills/skill.js';
import type { Host } from '../../host/host.js';

/** True if it allows files of its own folder. */
export function namesOwnFiles({ allowedTools, folder }: Skill): boolean {
  return allowedTools.some((rule) => rule.includes('CLAUDE_SKILL_DIR') || rule.includes(folder));
}

/** True if what it allows may be a file of the project, under any spelling. */
export function namesFiles(skill: Skill): boolean {
  return namesOwnFiles(skill) || commandsOf(skill).some((command) => /[./]/.test(command));
}

/** The files of the project that its commands name, with their hashes. Undefined if there are too many to check. */
export async function grantedFiles(host: Host, projectRoot: string, skill: Skill): Promise<NamedFiles | undefined> {
  const scan = createFileScan(host, projectRoot);
  const files: Record<string, string> = {};
  for (const command of commandsOf(skill)) {
    const found = await hashNamedFiles(scan, { command });
    if (found === undefined) return undefined;
    Object.assign(files, found);
  }
  return files;
}

/** `Bash(./run.sh:*)` → `./run.sh`. */
function commandsOf({ allowedTools }: Skill): readonly string[] {
  return allowedTools.flatMap((rule) => /^\s*Bash\(([\s\S]*?)(?::\*)?\)\s*$/.exec(rule)?.[1] ?? []);
}
