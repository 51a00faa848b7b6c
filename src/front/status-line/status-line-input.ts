/** The input of a status line command: the JSON that existing scripts know (EX-22). Pure. */

import { VERSION } from '../../config/version.js';
import { type ModelOverrides, modelData } from '../../model/models.js';
import { cachedTokens, inputTokens, type Usage } from '../../protocol/usage.js';
import { type Totals, totalCost, totalUsage } from '../view/session-view.js';

export type StatusLineFacts = {
  readonly session: {
    readonly id: string;
    readonly transcript: string;
    readonly cwd: string;
    readonly model: string;
    readonly outputStyle: string;
    readonly models: ModelOverrides;
  };
  readonly projectDir: string;
  /** Additional working folders. */
  readonly addedDirs: readonly string[];
  readonly effort: string | undefined;
  /** The agent that the session runs as. */
  readonly agent: string | undefined;
  readonly totals: Totals;
  /** Usage of the main agent's last reply; undefined before the first, and after a compaction or clear. */
  readonly current: Usage | undefined;
  readonly durationMs: number;
  /** Time spent waiting for the model, over all agents. */
  readonly apiMs: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
};

const LONG_CONTEXT = 200_000;

export function statusLineInput(facts: StatusLineFacts): Record<string, unknown> {
  const { session, current, totals, effort, agent } = facts;
  const size = modelData(session.model, session.models).context;
  const used = current === undefined ? undefined : Math.min(100, Math.round((100 * inputTokens(current)) / size));
  const all = totalUsage(totals);
  return {
    session_id: session.id,
    transcript_path: session.transcript,
    cwd: session.cwd,
    version: VERSION,
    model: { id: session.model, display_name: modelName(session.model) },
    workspace: { current_dir: session.cwd, project_dir: facts.projectDir, added_dirs: facts.addedDirs },
    output_style: { name: session.outputStyle },
    cost: {
      total_cost_usd: totalCost(totals, session.models),
      total_duration_ms: Math.round(facts.durationMs),
      total_api_duration_ms: Math.round(facts.apiMs),
      total_lines_added: facts.linesAdded,
      total_lines_removed: facts.linesRemoved,
    },
    context_window: {
      total_input_tokens: inputTokens(all),
      total_output_tokens: all.output,
      context_window_size: size,
      used_percentage: used ?? null,
      remaining_percentage: used === undefined ? null : 100 - used,
      current_usage: current === undefined ? null : currentUsage(current),
    },
    exceeds_200k_tokens: current !== undefined && inputTokens(current) + current.output > LONG_CONTEXT,
    ...(effort === undefined ? {} : { effort: { level: effort } }),
    ...(agent === undefined ? {} : { agent: { name: agent } }),
  };
}

function currentUsage(usage: Usage): Record<string, number> {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: cachedTokens(usage) - usage.cacheRead,
    cache_read_input_tokens: usage.cacheRead,
  };
}

/** Formats `claude-opus-5-5` as Opus 5.5. Ids of another form are returned unchanged. */
function modelName(id: string): string {
  const [, family, major, minor] = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id) ?? [];
  if (family === undefined) return id;
  const name = `${family[0]?.toUpperCase()}${family.slice(1)}`;
  return `${name} ${major}${minor === undefined ? '' : `.${minor}`}`;
}
