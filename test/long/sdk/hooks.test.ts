/** CL-2: hooks of the client, called back over the same pipe. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent, HookInput, HookJSONOutput, Options } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Case, COMPACTS, runCases, talkUntilCompacted } from './cases.js';
import type { SdkStage } from './sdk-stage.js';

const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It worked: {{result}}' },
  { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'touch made', description: 'make it' } }] },
];

const CHILD: readonly Rule[] = [
  { when: { said: 'CHILD TASK' }, reply: 'The child says ok.' },
  { when: { result: { tool: 'Agent' } }, reply: 'Done.' },
  {
    reply: [{ tool: 'Agent', input: { description: 'look', prompt: 'CHILD TASK', subagent_type: 'general-purpose' } }],
  },
];

const isMade = (stage: SdkStage) => existsSync(join(stage.folder, 'made'));

/** Hooks for one event that answer the same, and what they were called with. */
function watch(event: HookEvent, answer: HookJSONOutput = {}, matcher?: string) {
  const seen: HookInput[] = [];
  const hooks: Options['hooks'] = {
    [event]: [
      {
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [
          async (input: HookInput) => {
            seen.push(input);
            return answer;
          },
        ],
      },
    ],
  };
  return { seen, hooks };
}

/** The hook is called with its event and fields of the session. */
function called(event: HookEvent, rules: readonly Rule[], fields: object, options: Options = {}): Case {
  return {
    about: 'hooks',
    says: `\`${event}\``,
    rules,
    play: async (stage) => {
      const { seen, hooks } = watch(event);
      const { error, result } = await stage.run('go', { ...options, hooks });
      expect(error).toBeUndefined();
      expect(seen[0]).toMatchObject({
        hook_event_name: event,
        session_id: result.session_id,
        cwd: stage.folder,
        transcript_path: expect.any(String),
        ...fields,
      });
    },
  };
}

const CASES: readonly Case[] = [
  called('SessionStart', [{ reply: 'Hello.' }], { source: 'startup' }),
  called('UserPromptSubmit', [{ reply: 'Hello.' }], { prompt: 'go' }),
  called('PreToolUse', TOUCH, { tool_name: 'Bash', tool_input: { command: 'touch made' } }, { allowedTools: ['Bash'] }),
  called('PostToolUse', TOUCH, { tool_name: 'Bash', tool_response: expect.anything() }, { allowedTools: ['Bash'] }),
  called(
    'PostToolUseFailure',
    [
      { when: { result: { tool: 'Read' } }, reply: 'Done.' },
      { reply: [{ tool: 'Read', input: { file_path: '/nowhere/at/all' } }] },
    ],
    { tool_name: 'Read', error: expect.any(String) },
    { allowedTools: ['Read'] },
  ),
  called(
    'PermissionRequest',
    TOUCH,
    { tool_name: 'Bash' },
    { canUseTool: async () => ({ behavior: 'deny', message: 'no' }) },
  ),
  called('Stop', [{ reply: 'Hello.' }], { stop_hook_active: false }),
  called('SubagentStart', CHILD, { agent_type: 'general-purpose', agent_id: expect.any(String) }),
  called('SubagentStop', CHILD, { agent_type: 'general-purpose', agent_id: expect.any(String) }),
  {
    about: 'hooks',
    says: '`PreCompact`',
    ...COMPACTS,
    play: async (stage) => {
      const { seen, hooks } = watch('PreCompact');
      const live = stage.open({ hooks, model: 'claude-opus-5-5' });
      await talkUntilCompacted(live);
      await live.end();
      expect(seen[0]).toMatchObject({ hook_event_name: 'PreCompact', trigger: 'auto' });
    },
  },
  {
    about: 'hooks',
    says: 'a hook that denies, denies, in every mode',
    rules: TOUCH,
    play: async (stage) => {
      const { hooks } = watch('PreToolUse', {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'MARKER: no.',
        },
      });
      const options: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, hooks };
      const { result } = await stage.run('go', options);
      expect(isMade(stage)).toBe(false);
      expect(result.result).toContain('MARKER: no.');
    },
  },
  {
    about: 'hooks',
    says: 'a hook that allows: the call runs without a question',
    rules: TOUCH,
    play: async (stage) => {
      const { hooks } = watch('PreToolUse', {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
      });
      await stage.run('go', { hooks });
      expect(isMade(stage)).toBe(true);
    },
  },
  {
    about: 'hooks',
    says: '`updatedInput` runs instead',
    rules: TOUCH,
    play: async (stage) => {
      const { hooks } = watch('PreToolUse', {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          updatedInput: { command: 'touch other', description: 'x' },
        },
      });
      await stage.run('go', { hooks });
      expect(isMade(stage)).toBe(false);
      expect(existsSync(join(stage.folder, 'other'))).toBe(true);
    },
  },
  {
    about: 'hooks',
    says: '`matcher`: only calls of these tools',
    rules: TOUCH,
    play: async (stage) => {
      const { hooks, seen } = watch('PreToolUse', { decision: 'block' }, 'Write|Edit');
      await stage.run('go', { hooks, allowedTools: ['Bash'] });
      expect(seen).toEqual([]);
      expect(isMade(stage)).toBe(true);
    },
  },
  {
    about: 'hooks',
    says: '`additionalContext` of `UserPromptSubmit` reaches the model',
    play: async (stage) => {
      const { hooks } = watch('UserPromptSubmit', {
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'MARKER-CONTEXT' },
      });
      const { sent } = await stage.run('go', { hooks });
      expect(JSON.stringify(sent[0]?.messages)).toContain('MARKER-CONTEXT');
    },
  },
  {
    about: 'hooks',
    says: '`decision: block` of `UserPromptSubmit`: nothing is sent',
    play: async (stage) => {
      const { hooks } = watch('UserPromptSubmit', { decision: 'block', reason: 'MARKER' });
      const { sent, messages } = await stage.run('go', { hooks });
      expect(sent).toEqual([]);
      expect(JSON.stringify(messages)).toContain('MARKER');
    },
  },
  {
    about: 'hooks',
    says: '`decision: block` of `Stop`: the model goes on, and reads why',
    rules: [
      { when: { user: 'MARKER' }, reply: 'Now it is done.' },
      { when: { user: 'go' }, reply: 'Done.' },
    ],
    play: async (stage) => {
      let calls = 0;
      const hook = async (): Promise<HookJSONOutput> => {
        calls += 1;
        return calls === 1 ? { decision: 'block', reason: 'MARKER: not yet' } : {};
      };
      const { result } = await stage.run('go', { hooks: { Stop: [{ hooks: [hook] }] } });
      expect(calls).toBe(2);
      expect(result.result).toBe('Now it is done.');
    },
  },
  {
    about: 'hooks',
    says: 'a hook that throws does not allow anything',
    rules: TOUCH,
    play: async (stage) => {
      const hook = async () => {
        throw new Error('broken hook');
      };
      const { result } = await stage.run('go', { hooks: { PreToolUse: [{ hooks: [hook] }] } });
      expect(isMade(stage)).toBe(false);
      expect(result.permission_denials).toHaveLength(1);
    },
  },
  {
    about: 'hooks',
    says: '`timeout`: a hook that never answers does not hold the session',
    rules: TOUCH,
    play: async (stage) => {
      const hook = () => new Promise<HookJSONOutput>(() => {});
      const { result } = await stage.run('go', { hooks: { PreToolUse: [{ hooks: [hook], timeout: 1 }] } });
      expect(result.type).toBe('result');
      expect(isMade(stage)).toBe(false);
    },
  },
  {
    about: 'includeHookEvents',
    says: '`system/hook_started` and `system/hook_response` lines',
    rules: TOUCH,
    files: {
      '~/.claude/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo MARKER-OUT' }] }] },
      }),
    },
    given: { includeHookEvents: true, allowedTools: ['Bash'] },
    expects: ({ messages }) => {
      const started = messages.find(({ subtype }) => subtype === 'hook_started');
      const response = messages.find(({ subtype }) => subtype === 'hook_response');
      expect(started).toMatchObject({ hook_event: 'PreToolUse', hook_id: expect.any(String) });
      expect(response).toMatchObject({ hook_event: 'PreToolUse', hook_id: started?.hook_id, exit_code: 0 });
      expect(JSON.stringify(response)).toContain('MARKER-OUT');
    },
  },
];

runCases('CL-2', 'hooks', CASES);
