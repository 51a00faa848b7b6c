/** What a user can choose in an editor: modes, models, commands. */

import type {
  AvailableCommand,
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import { ALIASES, resolveModel } from '../../model/models.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { Session } from '../sdk/session.js';
import { typedCommands } from '../sdk/typed-commands.js';

const MODES: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: 'Default', description: 'Asks before it changes files or runs commands that are not read-only' },
  acceptEdits: { name: 'Accept edits', description: 'Edits files in the project without asking' },
  plan: { name: 'Plan', description: 'Reads and plans; changes nothing until a plan is accepted' },
  dontAsk: { name: "Don't ask", description: 'Never asks: denies what would need permission' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Does everything without asking' },
  bubble: { name: 'Bubble', description: 'Passes questions on to the agent above' },
};

export type Choices = Pick<Session, 'mode' | 'modes' | 'model' | 'models'>;

export function modeState({ mode, modes }: Choices): SessionModeState {
  const availableModes = modes.map((id) => ({ id, ...MODES[id] }));
  return { currentModeId: mode, availableModes };
}

/** Editors that support these use them instead of modes, so the mode is included. */
export function configOptions(session: Choices): SessionConfigOption[] {
  const { currentModeId, availableModes } = modeState(session);
  return [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: session.model,
      options: modelOptions(session),
    },
  ];
}

/** The known models and those of the settings, always with the current one. */
function modelOptions({ model, models }: Choices): SessionConfigSelectOption[] {
  const names = [...new Set([...Object.keys(ALIASES), ...Object.keys(models.aliases ?? {})])];
  const options = new Map(names.map((name) => [resolveModel(name, models), name]));
  if (!options.has(model)) options.set(model, model);
  return [...options].map(([value, name]) => ({ value, name: escapeToLine(name), description: value }));
}

export async function availableCommands(session: Pick<Session, 'execute' | 'canFork'>): Promise<AvailableCommand[]> {
  const [skills, prompts] = await Promise.all([
    session.execute({ type: 'skills' }),
    session.execute({ type: 'server-prompts' }),
  ]);
  const own = typedCommands(session).map(({ name, description, argumentHint }) => ({
    name,
    description,
    ...(argumentHint === '' ? {} : { input: { hint: argumentHint } }),
  }));
  const ofSkills = (skills.ok ? skills.skills : [])
    .filter(({ forPerson }) => forPerson)
    .map(({ name, description, argumentHint }) => ({
      name,
      description: escapeToLine(description),
      ...(argumentHint === undefined ? {} : { input: { hint: escapeToLine(argumentHint) } }),
    }));
  const ofServers = (prompts.ok ? prompts.prompts : []).map(({ name, description = '', arguments: fields }) => ({
    name,
    description: escapeToLine(description),
    ...(fields.length === 0 ? {} : { input: { hint: escapeToLine(fields.map((one) => one.name).join(' ')) } }),
  }));
  return [...own, ...ofSkills, ...ofServers];
}
