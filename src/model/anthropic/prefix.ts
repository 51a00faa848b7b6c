/**
 * The prefix for the Messages API. The stored bytes contain each part as it is sent, in this order: API version, betas,
 * model, parameters, tools, system. They must not change: forks and old transcripts reference a prefix by its hash.
 */

import { createHash } from 'node:crypto';
import type { ThinkingChoice } from '../../protocol/commands.js';
import { decode, type FrozenBlock, freezeBlock, thawBlock } from '../../protocol/frozen-block.js';
import { sliceElements, sliceMembers } from '../../protocol/json/json-slices.js';
import type { Prefix, PrefixContent, PrefixTool, Thinking } from '../prefix.js';
import type { WireRequest, WireSearchTool, WireThinking, WireTool } from './wire.js';

const API_VERSION = '2023-06-01';

/** `ofApi`: tools that the API runs itself. */
export function freezePrefix(content: PrefixContent, ofApi: readonly WireSearchTool[] = []): AnthropicPrefix {
  const system = content.system.filter((text) => text.trim() !== '').map((text) => freezeBlock({ type: 'text', text }));
  const members = [
    `"api_version":${JSON.stringify(API_VERSION)}`,
    `"betas":${JSON.stringify(betasFor(content))}`,
    `"model":${JSON.stringify(content.model)}`,
    ...parameterMembers(content),
    `"tools":${JSON.stringify([...content.tools.map(toWireTool), ...ofApi])}`,
    `"system":[${system.map((block) => decode(block.bytes)).join(',')}]`,
  ];
  return loadPrefix(Buffer.from(`{${members.join(',')}}`));
}

/** Loads a prefix from stored bytes. Throws if they are not a prefix. */
export function loadPrefix(bytes: Buffer): AnthropicPrefix {
  return new AnthropicPrefix(bytes);
}

/** Returns a prefix of ours unchanged. Any other object with the same bytes, such as a copy, is parsed again. */
export function asAnthropicPrefix(prefix: Prefix): AnthropicPrefix {
  return prefix instanceof AnthropicPrefix ? prefix : loadPrefix(prefix.bytes);
}

export class AnthropicPrefix implements Prefix {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly apiVersion: string;
  readonly betas: readonly string[];
  readonly model: string;
  /** `"thinking":…,"output_config":…,` as in a request body, each with its comma. May be empty. */
  readonly parameterBytes: Buffer;
  /** `[…]` */
  readonly toolBytes: Buffer;
  readonly systemBlocks: readonly FrozenBlock[];

  constructor(bytes: Buffer) {
    const members = sliceMembers(bytes);
    const part = (name: string): Buffer => {
      const slice = members.get(name);
      if (slice === undefined) throw new Error(`a stored prefix without "${name}"`);
      return bytes.subarray(slice.start, slice.end);
    };
    const system = part('system');
    this.sha256 = createHash('sha256').update(bytes).digest('hex');
    this.bytes = bytes;
    this.apiVersion = JSON.parse(part('api_version').toString('utf8')) as string;
    this.betas = JSON.parse(part('betas').toString('utf8')) as string[];
    this.model = JSON.parse(part('model').toString('utf8')) as string;
    this.parameterBytes = Buffer.concat(
      [...members.keys()]
        .filter((name) => !OUTSIDE_PARAMETERS.has(name))
        .map((name) => Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), part(name), Buffer.from(',')])),
    );
    this.toolBytes = part('tools');
    this.systemBlocks = sliceElements(system).map(({ start, end }) => thawBlock(system.subarray(start, end)));
  }

  get tools(): readonly PrefixTool[] {
    const tools = JSON.parse(this.toolBytes.toString('utf8')) as (WireTool | WireSearchTool)[];
    return tools.flatMap((tool) => (tool.input_schema === undefined ? [] : [fromWireTool(tool)]));
  }

  get parameters(): NonNullable<Prefix['parameters']> {
    const members = this.parameterBytes.toString('utf8').replace(/,$/, '');
    const { thinking, output_config: output } = JSON.parse(`{${members}}`) as WireParameters;
    return {
      ...(thinking === undefined ? {} : { thinking: fromWireThinking(thinking) }),
      ...(output?.effort === undefined ? {} : { effort: output.effort }),
      ...(output?.task_budget === undefined ? {} : { taskBudget: output.task_budget.total }),
    };
  }

  get system(): readonly string[] {
    return this.systemBlocks.map((block) => (JSON.parse(decode(block.bytes)) as { text: string }).text);
  }
}

const OUTSIDE_PARAMETERS = new Set(['api_version', 'betas', 'model', 'tools', 'system']);

/** Required for `task_budget`. */
const TASK_BUDGETS = 'task-budgets-2026-03-13';

function betasFor({ taskBudget }: PrefixContent): readonly string[] {
  return taskBudget === undefined ? [] : [TASK_BUDGETS];
}

function parameterMembers({ thinking, effort, taskBudget }: PrefixContent): string[] {
  const members: string[] = [];
  if (thinking) members.push(`"thinking":${JSON.stringify(toWireThinking(thinking))}`);
  const output: WireRequest['output_config'] = {
    ...(effort ? { effort } : {}),
    ...(taskBudget === undefined ? {} : { task_budget: { type: 'tokens', total: taskBudget } }),
  };
  if (Object.keys(output).length > 0) members.push(`"output_config":${JSON.stringify(output)}`);
  return members;
}

type WireParameters = Pick<WireRequest, 'thinking' | 'output_config'>;

function fromWireThinking(thinking: WireThinking): ThinkingChoice {
  switch (thinking.type) {
    case 'adaptive':
      // `summarized` is the default.
      return { type: 'adaptive', ...(thinking.display === 'omitted' ? { display: 'omitted' as const } : {}) };
    case 'enabled':
      return { type: 'enabled', budgetTokens: thinking.budget_tokens };
    case 'disabled':
      return { type: 'disabled' };
    default:
      return thinking satisfies never;
  }
}

function toWireThinking(thinking: Thinking): WireThinking {
  switch (thinking.kind) {
    case 'adaptive':
      return { type: 'adaptive', display: thinking.display ?? 'summarized' };
    case 'budget': {
      const display = thinking.display === undefined ? {} : { display: thinking.display };
      return { type: 'enabled', budget_tokens: thinking.tokens, ...display };
    }
    case 'off':
      return { type: 'disabled' };
    default:
      return thinking satisfies never;
  }
}

function toWireTool({ name, description, inputSchema }: PrefixTool): WireTool {
  return { name, description, input_schema: inputSchema };
}

function fromWireTool({ name, description = '', input_schema }: WireTool): PrefixTool {
  return { name, description, inputSchema: input_schema };
}
