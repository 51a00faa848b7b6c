/** The simulated model, as the command line, the library and tests use it. */

export { builtInScenarios } from './built-in-scenarios.js';
export type { CheckOptions } from './check-options.js';
export { checkRequest } from './check-request.js';
export type { Chunking } from './chunked-writer.js';
export type { LocalServer } from './local-server.js';
export { factsFor, type ModelFacts, type ModelOverrides } from './model-facts.js';
export { type ParsedScenario, parseScenario } from './parse-scenario.js';
export type { Problem } from './problem.js';
export { countTokens, type Lifetime, type Prompt, type PromptBlock, promptBlocks } from './prompt-blocks.js';
export { type CachePlan, type InputUsage, LOOK_BACK, type PromptCache, promptCache } from './prompt-cache.js';
export { type ParsedRecording, parseRecording, type RecordedExchange } from './recording.js';
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
  When,
} from './scenario.js';
export type { SeenRequest, SeenResult } from './seen-request.js';
export { redactThinking, signThinking } from './signature.js';
export type { SimClock } from './sim-clock.js';
export type { SimRequest } from './sim-request.js';
export { type RecorderOptions, startRecorder } from './start-recorder.js';
export { type Replay, type ReplayOptions, startReplay } from './start-replay.js';
export { type Sim, type SimOptions, startSim } from './start-sim.js';
