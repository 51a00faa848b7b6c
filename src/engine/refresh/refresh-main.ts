/** What the main agent takes up, or is told, before the person's words, while nothing works. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { tellMemory } from '../../agents/memory/tell-memory.js';
import { reportAgain } from '../../agents/notices/notice.js';
import type { EngineOptions } from '../engine-options.js';
import { takeUpDefinitions } from './take-up-definitions.js';
import { takeUpSkills } from './take-up-skills.js';
import type { TakeUpTools } from './take-up-tools.js';
import { tellChanges } from './tell-changes.js';

export async function refreshMain(options: EngineOptions, main: LiveAgent, toolChanges: TakeUpTools): Promise<void> {
  const { runtime, definitions, skills, readFacts, setup } = options;
  await reportAgain(runtime);
  await tellChanges(main, readFacts, setup.definition?.omitClaudeMd ?? false);
  await tellMemory(runtime, main);
  if (await definitions.haveChanged()) await takeUpDefinitions(runtime, main, definitions);
  await takeUpSkills(runtime, main, skills);
  await toolChanges.takeUp(main);
}
