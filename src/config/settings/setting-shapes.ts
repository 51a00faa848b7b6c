/** Shapes of settings: the schema of a value, and its description in error messages. */

import * as z from 'zod';
import { EFFORT_LEVELS } from '../../protocol/commands.js';
import { once } from '../../protocol/once.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';

/** The schema is built only when a file is checked, because building a hundred of them takes time. */
export type Shape<T> = { readonly expects: string; readonly schema: () => z.ZodType<T> };

export function shape<S extends z.ZodType>(expects: string, schema: () => S): Shape<z.infer<S>> {
  return { expects, schema: schema as unknown as () => z.ZodType<z.infer<S>> };
}

/** Visibility of a skill to the model: everything, its name, or nothing. `off`: nobody can use it. */
export const SKILL_OVERRIDES = ['on', 'name-only', 'user-invocable-only', 'off'] as const;
export type SkillOverride = (typeof SKILL_OVERRIDES)[number];

/** Ways to notify you while you are away from the terminal. `auto`: the best one the terminal supports. */
const NOTICE_WAYS = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const;
export type NoticeWay = (typeof NOTICE_WAYS)[number];

/** `bubble` is only for children, never for a session. */
const SESSION_MODES = PERMISSION_MODES.filter((mode) => mode !== 'bubble');

const line = once(() => z.string().refine((value) => !value.includes('\0'), 'a string without NUL characters'));
const filled = once(() => line().refine((value) => value.trim() !== '', 'a string that is not empty'));
const count = once(() => z.int().positive());
const milliseconds = once(() => z.number().nonnegative().max(Number.MAX_SAFE_INTEGER));
const amount = once(() => z.number().nonnegative());

/** One hook. The gate checks what its type requires, so that it can name a hook that can't run. */
const hookHandler = once(() =>
  z
    .looseObject({ type: z.string(), command: line().optional(), timeout: z.number().positive().optional() })
    .refine((handler) => handler.type !== 'command' || (handler.command ?? '').trim() !== '', {
      path: ['command'],
      message: 'a command line',
    }),
);

export const hooksSchema = once(() =>
  z.record(z.string(), z.array(z.looseObject({ matcher: z.string().optional(), hooks: z.array(hookHandler()) }))),
);
export type HooksSetting = z.infer<ReturnType<typeof hooksSchema>>;
export type HookGroup = HooksSetting[string][number];

const modelData = once(() =>
  z.looseObject({
    /** US dollars per million tokens. */
    prices: z
      .looseObject({
        input: amount(),
        output: amount(),
        cacheRead: amount().optional(),
        cacheWrite5m: amount().optional(),
        cacheWrite1h: amount().optional(),
        /** US dollars per thousand searches. */
        webSearch: amount().optional(),
      })
      .optional(),
    /** Tokens. */
    context: count().optional(),
    maxOutput: count().optional(),
    cacheMinimum: z.int().nonnegative().optional(),
    keepsThinking: z.boolean().optional(),
    aliases: z.array(filled()).optional(),
  }),
);

/** A rule selects servers by exactly one property; with several its meaning would be ambiguous. */
const serverRule = once(() =>
  z
    .looseObject({
      serverName: filled().optional(),
      serverCommand: z.array(line()).min(1).optional(),
      serverUrl: filled().optional(),
    })
    .refine(
      (rule) => [rule.serverName, rule.serverCommand, rule.serverUrl].filter((one) => one !== undefined).length === 1,
      'an object with one of serverName, serverCommand, serverUrl',
    ),
);
export type ServerRuleSetting = z.infer<ReturnType<typeof serverRule>>;

const named = (expects: string) => shape(expects, filled);
const listOf = (things: string) => shape(`a list of ${things}`, () => z.array(filled()));
/** Each member is checked where it is used, so that a bad one does not hide the others. */
const mapOf = (expects: string) => shape(`an object: ${expects}`, () => z.record(z.string(), z.unknown()));
const oneOf = <const T extends readonly string[]>(...values: T) => {
  const quoted = values.map((value) => `"${value}"`);
  return shape(`${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, () => z.enum(values));
};

export const SHAPES = {
  flag: shape('true or false', () => z.boolean()),
  count: shape('a whole number above 0', count),
  milliseconds: shape('milliseconds', milliseconds),
  seconds: shape('seconds', () => z.number().positive()),
  days: shape('a number of days', amount),
  bytes: shape('a number of bytes', amount),
  tokens: shape('a number of tokens', amount),
  characters: shape('a number of characters', count),
  share: shape('a share from 0 to 1', () => z.number().min(0).max(1)),
  named,
  listOf,
  mapOf,
  oneOf,
  mode: shape('a permission mode', () => z.enum(SESSION_MODES)),
  disableBypass: shape('"disable", true or false', () => z.union([z.literal('disable'), z.boolean()])),
  hooks: shape('an object: event → list of matchers with hooks', hooksSchema),
  environment: shape('an object of strings', () =>
    z.record(
      z.string().regex(/^[^=\0]+$/, 'a name without "="'),
      z.union([line(), z.number(), z.boolean()]).transform(String),
    ),
  ),
  models: shape('an object: model → data', () => z.record(z.string(), modelData())),
  oneOrMoreModels: shape('a model name or a list of them', () => z.union([filled(), z.array(filled())])),
  effort: shape('an effort level', () => z.enum(EFFORT_LEVELS)),
  statusLine: shape('an object with type and command', () =>
    z.looseObject({
      type: z.string(),
      command: line().optional(),
      padding: z.number().nonnegative().optional(),
      refreshInterval: z.number().positive().optional(),
    }),
  ),
  definitions: shape('an object: name → definition', () => z.record(z.string(), z.record(z.string(), z.unknown()))),
  builtInAgents: shape('true, false or a list of names', () => z.union([z.boolean(), z.array(filled())])),
  serverRules: shape('a list of {"serverName"}, {"serverCommand"} or {"serverUrl"}', () => z.array(serverRule())),
  pluginSwitches: shape('an object: name@marketplace → true or false', () => z.record(z.string(), z.boolean())),
  skillOverrides: shape('an object: skill → "on", "name-only", "user-invocable-only" or "off"', () =>
    z.record(z.string(), z.enum(SKILL_OVERRIDES)),
  ),
  notice: oneOf(...NOTICE_WAYS),
} as const;
