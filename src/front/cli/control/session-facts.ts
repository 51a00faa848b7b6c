/** Describes commands, agents, models and account of a session, in the shapes of the SDK's clients. */

import type { CommandResult } from '../../../engine/commands/command-results.js';
import type { SkillReport } from '../../../engine/skills/report-skills.js';
import type { Command } from '../../../protocol/commands.js';
import type { Session } from '../../sdk/session.js';
import { typedCommands } from '../../sdk/typed-commands.js';

type SlashCommand = { readonly name: string; readonly description: string; readonly argumentHint: string };

type AgentInfo = { readonly name: string; readonly description: string; readonly model?: string };

/** `fresh`: read the files again. */
type ReadOptions = { readonly fresh?: boolean };

/** Everything that can be typed as `/name`: skills, commands, prompts of servers. */
export async function slashCommands(session: Session, options: ReadOptions = {}): Promise<readonly SlashCommand[]> {
  const { prompts } = must(await session.execute({ type: 'server-prompts' }));
  return [
    ...typedCommands(session),
    ...(await skillCommands(session, options)),
    ...prompts.map(({ name, description = '', arguments: params }) => ({
      name,
      description,
      argumentHint: params.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(' '),
    })),
  ];
}

export async function skillCommands(
  session: Session,
  { fresh = false }: ReadOptions = {},
): Promise<readonly SlashCommand[]> {
  const { skills } = must(await session.execute({ type: 'skills', fresh }));
  return skills.filter(({ forPerson }) => forPerson).map(slashCommand);
}

function slashCommand({ name, description, argumentHint = '' }: SkillReport): SlashCommand {
  return { name, description, argumentHint };
}

export async function agentInfos(session: Session, { fresh = false }: ReadOptions = {}): Promise<readonly AgentInfo[]> {
  const { agents } = must(await session.execute({ type: 'agents', fresh }));
  return agents.map(({ name, description, model }) => ({ name, description, model }));
}

export async function modelInfos(session: Session): Promise<readonly object[]> {
  const { models } = must(await session.execute({ type: 'models' }));
  return models.map(({ name, id, thinking, efforts, prices }) => ({
    value: name,
    resolvedModel: id,
    displayName: name === 'default' ? 'Default' : name,
    description: prices === undefined ? id : `${id}, $${prices.input} in and $${prices.output} out per million tokens`,
    ...(efforts.length > 0 ? { supportsEffort: true, supportedEffortLevels: efforts } : { supportsEffort: false }),
    supportsAdaptiveThinking: thinking === 'always' || thinking === 'adaptive',
  }));
}

export async function accountInfo(session: Session): Promise<object> {
  const { source } = must(await session.execute({ type: 'account' })).account;
  const isToken = source === 'ANTHROPIC_AUTH_TOKEN';
  const isKey = source === 'ANTHROPIC_API_KEY' || source === 'apiKeyHelper';
  return {
    tokenSource: isToken ? source : 'none',
    apiKeySource: isKey ? source : 'none',
    apiProvider: 'firstParty',
  };
}

/** All names, the default first. */
export async function outputStyles(session: Session): Promise<readonly string[]> {
  const { styles } = must(await session.execute({ type: 'output-styles' }));
  return styles.map(({ name }) => name);
}

type Succeeded<T> = Extract<T, { readonly ok: true }>;

/** Throws a refusal, which becomes the error of the request. */
export function must<T extends CommandResult<Command> & { readonly ok: boolean }>(result: T): Succeeded<T> {
  if (result.ok) return result as Succeeded<T>;
  throw new Error('reason' in result ? String(result.reason) : 'it failed');
}
