/** The public exports of the simulated model, for the command line, the library and tests. */

export type * from '../model/anthropic/wire.js';
export type * from '../protocol/blocks.js';
export type { Usage } from '../protocol/usage.js';
export { factsFor, type ModelFacts, type ModelOverrides } from './cache/model-facts.js';
export { countTokens, type Lifetime, type Prompt, type PromptBlock, promptBlocks } from './cache/prompt-blocks.js';
export { type CachePlan, type InputUsage, LOOK_BACK, type PromptCache, promptCache } from './cache/prompt-cache.js';
export type { CheckOptions } from './checks/check-options.js';
export { checkRequest } from './checks/check-request.js';
export type { Problem } from './checks/problem.js';
export type { JsonObject } from './json-value.js';
export type { KnownValues } from './recording/find-varying.js';
export { PLACEHOLDERS, type PlaceholderKind, type PlaceholderRow } from './recording/placeholders.js';
export {
  type ParsedRecording,
  parseRecording,
  type RecordedAgent,
  type RecordedExchange,
  type RecordedInput,
} from './recording/recording.js';
export { type RecorderOptions, startRecorder } from './recording/start-recorder.js';
export { type Replay, type ReplayOptions, startReplay } from './recording/start-replay.js';
export type { ReplayStatus } from './recording/traffic-replay.js';
export type { ApiTurn, LocatedBlock } from './scenario/api-turns.js';
export { builtInScenarios } from './scenario/built-in-scenarios.js';
export { type ParsedScenario, parseScenario } from './scenario/parse-scenario.js';
export type {
  Delay,
  Fault,
  FaultKind,
  FullReply,
  Pattern,
  Reply,
  ReplyBlock,
  ResultPattern,
  Rule,
  Scenario,
  SearchPage,
  When,
} from './scenario/scenario.js';
export type { Chunking } from './server/chunked-writer.js';
export type { LocalServer } from './server/local-server.js';
export type { SeenRequest, SeenResult } from './server/seen-request.js';
export { redactThinking, signThinking } from './server/signature.js';
export type { SimClock } from './server/sim-clock.js';
export type { SimRequest } from './server/sim-request.js';
export { type Sim, type SimOptions, startSim } from './server/start-sim.js';
