/** Event rows of the agent itself: its start, runs, files, tasks and permissions. */

import * as z from 'zod';
import { type DurableEventOf, MOVED, RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';
import type { AgentState, RunLog } from './agent-state.js';
import { isFinal, stateAt } from './agent-state.js';
import { count, type EventRows, paidCheck, pathState, usage } from './event-row.js';

const mode = () => z.enum(PERMISSION_MODES);

export const LIFE_ROWS = {
  'session-started': {
    schema: () => z.object({ session: z.string(), cwd: z.string(), model: z.string(), mode: mode() }),
    sync: false,
    apply: (state, event) => {
      state.started ??= event;
      state.mode = event.mode;
    },
  },
  'session-named': {
    schema: () => z.object({ name: z.string() }),
    sync: false,
    apply: (state, { name }) => {
      state.name = name;
    },
  },
  'agent-spawned': {
    schema: () =>
      z.object({
        agent: z.string(),
        type: z.string(),
        parent: z.string(),
        call: z.string(),
        depth: count,
        chain: z.string().optional(),
        origin: z.string(),
        model: z.string(),
        mode: mode(),
        cwd: z.string(),
        tools: z.array(z.string()),
        spawns: z.array(z.string()).optional(),
        aside: z.literal(true).optional(),
        limits: z.object({ only: z.array(z.string()), never: z.array(z.string()) }).optional(),
        fork: z
          .object({
            session: z.string(),
            agent: z.string(),
            upTo: count,
            messages: count,
            sha256: z.string(),
            siblings: z.enum(['all', 'own']).optional(),
            call: z.string().optional(),
          })
          .optional(),
        roots: z.array(z.string()).optional(),
        worktree: z
          .object({
            name: z.string(),
            path: z.string(),
            branch: z.string(),
            from: z.string(),
            git: z.object({ own: z.string(), common: z.string() }).optional(),
            sparse: z.array(z.string()).optional(),
            links: z.array(z.string()).optional(),
          })
          .optional(),
        memory: z
          .object({
            scope: z.enum(['user', 'project', 'local']),
            folder: z.string(),
            tools: z.array(z.string()),
            isPrivate: z.boolean(),
          })
          .optional(),
      }),
    sync: true,
    life: true,
    apply: (state, event) => {
      state.spawned ??= event;
      state.mode = event.mode;
    },
  },
  'agent-state-changed': {
    schema: () =>
      z.object({
        state: z.enum(['running', 'waiting', 'interrupted', 'completed', 'failed', 'stopped']),
        run: count,
        by: z.enum(['person', 'model', 'budget']).optional(),
        call: z.string().optional(),
      }),
    sync: true,
    life: true,
    apply: changeStatus,
  },
  'agent-taken-over': {
    schema: () => z.object({ run: count }),
    sync: true,
    life: true,
    apply: ({ runs }, { run }, seq) => {
      const log = runOf(runs, run);
      if (!isFinal(log.status)) runs.set(run, { ...log, takenOver: seq });
    },
  },
  'agent-handed-back': {
    schema: () => z.object({ run: count }),
    sync: true,
    life: true,
    apply: ({ runs }, { run }) => {
      const { takenOver: _takenOver, ...log } = runOf(runs, run);
      runs.set(run, log);
    },
  },
  'result-made': {
    schema: () => z.object({ run: count, status: z.string(), text: z.string() }),
    sync: true,
    life: true,
    apply: ({ runs }, { run, status, text }) => {
      const log = runOf(runs, run);
      // A resumed run may produce a new result; a result after the run's end is ignored.
      if (!isFinal(log.status) || log.result === undefined) runs.set(run, { ...log, result: { status, text } });
    },
  },
  'worktree-settled': {
    schema: () =>
      z.object({
        run: count,
        outcome: z.enum(['kept', 'removed', 'gone', 'in-use']),
        reasons: z.array(z.string()),
      }),
    sync: true,
    life: true,
    apply: ({ runs }, { run, outcome, reasons }) => {
      runs.set(run, { ...runOf(runs, run), worktree: { outcome, reasons } });
    },
  },
  'notice-queued': {
    schema: () => z.object({ run: count, to: z.string(), text: z.string(), check: paidCheck.optional() }),
    sync: true,
    life: true,
    apply: ({ runs }, { run, to, text }) => {
      const log = runOf(runs, run);
      if (log.notice === undefined) runs.set(run, { ...log, notice: { to, text } });
    },
  },
  'permission-answered': { schema: () => z.object({}), sync: true },
  'task-started': {
    schema: () => z.object({ task: z.string(), call: z.string(), command: z.string(), output: z.string() }),
    sync: false,
    apply: (state, event) => void state.tasks.set(event.task, event),
  },
  'file-kept': {
    schema: () => z.object({ path: z.string(), ...pathState }),
    sync: true,
    apply: (state, event, seq) => void state.fileStates.push({ ...stateAt(event), seq, kind: 'kept' }),
  },
  'file-left': {
    schema: () => z.object({ path: z.string(), ...pathState }),
    sync: false,
    apply: (state, event, seq) => void state.fileStates.push({ ...stateAt(event), seq, kind: 'left' }),
  },
  'files-kept': {
    schema: () => z.object({ files: z.array(z.object({ path: z.string(), ...pathState })) }),
    sync: true,
    apply: ({ fileStates }, { files }, seq) => {
      for (const file of files) fileStates.push({ ...stateAt(file), seq, kind: 'kept' });
    },
  },
  'files-left': {
    schema: () => {
      const was = z.object(pathState).optional();
      return z.object({ since: count, files: z.array(z.object({ path: z.string(), ...pathState, was })) });
    },
    sync: false,
    apply: ({ fileStates }, { files, since }, seq) => {
      for (const { was, ...file } of files) {
        if (was !== undefined) fileStates.push({ ...stateAt({ ...was, path: file.path }), seq: since, kind: 'kept' });
        fileStates.push({ ...stateAt(file), seq, kind: 'left' });
      }
    },
  },
  'todos-changed': {
    schema: () => z.object({ items: z.array(z.unknown()) }),
    sync: false,
    apply: (state, event) => {
      state.todos = event.items;
    },
  },
  'skill-hooked': {
    schema: () => z.object({ skill: z.string(), what: z.string() }),
    sync: true,
    apply: (state, { skill, what }) => {
      state.hookedSkills = { ...state.hookedSkills, [skill]: what };
    },
  },
  'mode-changed': {
    schema: () => z.object({ mode: mode() }),
    sync: false,
    apply: (state, event) => {
      state.mode = event.mode;
    },
  },
  'fault-met': { schema: () => z.object({ retry: z.looseObject({}).optional() }), sync: false },
  'run-ended': {
    schema: () => z.object({ reason: z.string(), structured: z.object({ value: z.unknown() }).optional(), usage }),
    sync: true,
    apply: (state, { reason, line, structured, usage: sum }) => {
      const more = structured === undefined ? {} : { structured };
      state.runEnd = { reason, ...(line === undefined ? {} : { line }), ...more };
      // The agent's total so far, including paid usage that left no record.
      state.usage = sum;
    },
  },
} satisfies Partial<EventRows>;

/** A final status is never changed: later records for that run are ignored. */
function changeStatus({ runs }: AgentState, event: DurableEventOf<'agent-state-changed'>): void {
  const { state: status, run, by, reason, call } = event;
  const { by: _by, reason: _reason, ...known } = runOf(runs, run);
  if (runs.has(run) && isFinal(known.status)) return;
  const automatic = (known.automatic ?? 0) + (reason === RESUMED_AUTOMATICALLY ? 1 : 0);
  runs.set(run, {
    ...known,
    status,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(call === undefined ? {} : { call }),
    ...(reason === MOVED ? { moved: true } : {}),
    ...(automatic > 0 ? { automatic } : {}),
  });
}

function runOf(runs: ReadonlyMap<number, RunLog>, run: number): RunLog {
  return runs.get(run) ?? { run, status: 'running' };
}
