/** CL-1: what is asked for and not served ends the run at once, by name; nothing is dropped in silence. */

import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { type Case, runCases } from './cases.js';

/** An option that the SDK passes on under the name that stderr has. */
function refused(about: string, says: string, name: string, given: Options): Case {
  return { about, says, refused: name, given };
}

const CASES: readonly Case[] = [
  refused('managedSettings', 'settings of an administrator come from files', '--managed-settings', {
    managedSettings: { model: 'x' },
  }),
  refused('projectConfigRoot', 'a project’s files are those of its folder', '--project-config-root', {
    projectConfigRoot: '/tmp',
  }),
  refused('resumeDropsTurn', '`resumeSessionAt` goes back', '--resume-drops-turn', {
    resume: '11111111-1111-4111-8111-111111111111',
    resumeDropsTurn: '22222222-2222-4222-8222-222222222222',
    resumeSessionAt: '33333333-3333-4333-8333-333333333333',
  }),
  refused('permissionPromptToolName', 'only `canUseTool` is asked', '--permission-prompt-tool', {
    permissionPromptToolName: 'mcp__a__b',
  }),
  refused('toolAliases', 'tools have the names that rules and hooks know', 'toolAliases', {
    toolAliases: { Shell: 'Bash' },
  }),
  refused('promptSuggestions', 'nothing is suggested', 'promptSuggestions', { promptSuggestions: true }),
  refused('planModeInstructions', 'plan mode has its own', 'planModeInstructions', {
    permissionMode: 'plan',
    planModeInstructions: 'x',
  }),
  refused('agents', 'a field of an agent that would not be followed', 'agents.oak.observer', {
    agents: { oak: { description: 'd', prompt: 'p', observer: 'x' } },
  }),
  refused('plugins', '`skipMcpDiscovery`', 'skipMcpDiscovery', {
    plugins: [{ type: 'local', path: '/tmp', skipMcpDiscovery: true }],
    pluginDelivery: 'initialize',
  }),
  refused('extraArgs', 'a flag that nobody knows', '--no-such-flag', { extraArgs: { 'no-such-flag': 'x' } }),
  refused('hooks', 'an event that we don’t have', 'NoSuchEvent', {
    hooks: { NoSuchEvent: [{ hooks: [async () => ({})] }] } as Options['hooks'],
  }),
];

runCases('CL-1', 'refused', CASES);
