/** The memory of a folder's agents without a session, with the trust, settings and definitions of a session. */

import { createCatalog, refusedProblem } from '../../agents/catalog/catalog.js';
import { loadDefinitions } from '../../config/definitions/load-definitions.js';
import { configDir } from '../../config/paths.js';
import { formatProblem, type Problem } from '../../config/problem.js';
import { createMemory, type Memory } from '../../features/memory/memory.js';
import { memoryRoot } from '../../features/memory/memory-location.js';
import type { OpenFailure, SessionOptions } from '../session-options.js';
import { findFolder, readConfig } from './read-config.js';

/** `trust`: as if the folder were trusted. `agents`: more definitions. */
export type MemoryOptions = Pick<SessionOptions, 'cwd' | 'env' | 'host' | 'trust' | 'agents'>;

export type OpenedMemory = { readonly ok: true; readonly memory: Memory } | OpenFailure;

export async function openFolderMemory(options: MemoryOptions = {}): Promise<OpenedMemory> {
  const at = await findFolder(options);
  if (!at.ok) return at;
  const projectRoot = at.repoRoot ?? at.folder;
  const config = await readConfig(options, at.host, projectRoot);
  if (!config.ok) return config;
  const { host, trusted, settings } = config;
  const loaded = await loadDefinitions({
    host,
    cwd: at.folder,
    ...(at.repoRoot === undefined ? {} : { repoRoot: at.repoRoot }),
    userDir: configDir(host.env),
    trusted,
    settingsAgents: settings.agents,
    ...(options.agents === undefined ? {} : { flagAgents: options.agents }),
  });
  // A rule that denies an agent does not hide its notes.
  const catalog = createCatalog({
    definitions: loaded.definitions.values(),
    disableBuiltIn: settings.settings.disableBuiltinAgents,
    isDenied: () => false,
  });
  const problems = [...loaded.problems, ...catalog.refused.map(refusedProblem)];
  // Problems that keep an agent, or its memory, out of the list.
  const isRelevant = ({ severity, message }: Problem) => severity === 'error' || /\bmemory\b/.test(message);
  const warnings = problems.filter(isRelevant).map(formatProblem);
  const root = await memoryRoot(host, projectRoot);
  const ground = { host, root, project: projectRoot, trusted, definitions: catalog.list(), warnings };
  return { ok: true, memory: createMemory(ground) };
}
