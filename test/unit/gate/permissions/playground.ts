/** A real folder to judge calls in, and short ways to ask. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { judge } from '../../../../src/gate/permissions/judge.js';
import type { Policy } from '../../../../src/gate/permissions/policy.js';
import { parseRule, type Rule } from '../../../../src/gate/permissions/rules/rule.js';
import { nodeFiles } from '../../../../src/host/node-files.js';
import type { Action } from '../../../../src/protocol/action.js';
import type { Decision } from '../../../../src/protocol/permission.js';

export type Playground = {
  /** The root. */
  readonly root: string;
  /** A folder next to it that is not a root. */
  readonly outside: string;
  readonly home: string;
  policy(changes?: PolicyChanges): Policy;
  bash(command: string, changes?: PolicyChanges & { readonly cwd?: string }): Decision;
  act(tool: string, action: Action, changes?: PolicyChanges): Decision;
  write(path: string, content?: string): Promise<void>;
  remove(): Promise<void>;
};

export type PolicyChanges = Partial<Omit<Policy, 'rules'>> & {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
};

export async function makePlayground(): Promise<Playground> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'gate-')));
  const [root, outside, home] = [join(top, 'project'), join(top, 'elsewhere'), join(top, 'home')];
  for (const folder of [root, outside, home]) await mkdir(folder);
  const policy = (changes: PolicyChanges = {}): Policy => {
    const { allow = [], ask = [], deny = [], ...rest } = changes;
    return {
      mode: 'default',
      rules: [...rules('deny', deny, root), ...rules('ask', ask, root), ...rules('allow', allow, root)],
      roots: [root],
      home,
      trusted: true,
      files: nodeFiles.sync,
      ...rest,
    };
  };
  const act = (tool: string, action: Action, changes?: PolicyChanges, cwd = root) =>
    judge({ tool, input: {}, actions: [action], cwd }, policy(changes));
  return {
    root,
    outside,
    home,
    policy,
    act,
    bash: (command, { cwd = root, ...changes } = {}) => act('Bash', { kind: 'shell', command, cwd }, changes, cwd),
    write: async (path, content = 'x\n') => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    remove: () => rm(top, { recursive: true, force: true }),
  };
}

export function rules(behavior: Rule['behavior'], texts: readonly string[], base = '/'): readonly Rule[] {
  return texts.map((text) => {
    const { rule } = parseRule(text, behavior, { source: 'test', base });
    if (rule === undefined) throw new Error(`not a rule: ${text}`);
    return rule;
  });
}
