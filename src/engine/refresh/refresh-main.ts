/** What the main agent takes up, or is told, before the person's words, while nothing works. */

import { refreshAgent } from '../../agents/feature.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import { reportAgain } from '../../agents/notices/notice.js';
import type { EngineOptions } from '../engine-options.js';
import { announceChanges } from './announce-changes.js';
import { reloadDefinitions } from './reload-definitions.js';
import { reloadSkills } from './reload-skills.js';
import type { ToolReloader } from './reload-tools.js';

export async function refreshMain(options: EngineOptions, main: LiveAgent, toolChanges: ToolReloader): Promise<void> {
  const { runtime, definitions, skills, readFacts, setup } = options;
  await reportAgain(runtime);
  await announceChanges(main, readFacts, setup.definition?.omitClaudeMd ?? false);
  await refreshAgent(runtime.features, main);
  if (await definitions.haveChanged()) await reloadDefinitions(runtime, main, definitions);
  await reloadSkills(runtime, main, skills);
  await toolChanges.takeUp(main);
}
