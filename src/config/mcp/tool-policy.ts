/** What an entry says of single tools of its server (`tools`): it can ask for more care, and never permits anything. Pure. */

import { isRecord } from '../json-values.js';

/** By the tool's own name. `ask`: a person's word for each call. `deny`: it is not offered. */
export type ToolPolicy = Readonly<Record<string, 'ask' | 'deny'>>;

export type ReadPolicy = { readonly policy?: ToolPolicy; readonly warnings: readonly string[] };

export function readToolPolicy(tools: unknown): ReadPolicy {
  if (tools === undefined || tools === null) return { warnings: [] };
  if (!Array.isArray(tools))
    return { warnings: ['its "tools" is ignored: it must be a list of {"name", "permission_policy"}'] };
  const policy = new Map<string, 'ask' | 'deny'>();
  const warnings: string[] = [];
  for (const one of tools) {
    const name = isRecord(one) && typeof one.name === 'string' ? one.name : undefined;
    const said = isRecord(one) ? wordOf(one) : 'unknown';
    if (name === undefined || said === 'unknown') {
      warnings.push(`a policy of its "tools" is not understood and ignored: ${JSON.stringify(one)?.slice(0, 100)}`);
    } else if (said === 'allow') {
      warnings.push(
        `its policy always_allow for ${JSON.stringify(name).slice(0, 80)} permits nothing: use a rule that allows`,
      );
    } else if (said !== 'nothing') {
      policy.set(name, policy.get(name) === 'deny' ? 'deny' : said);
    }
  }
  return { ...(policy.size > 0 ? { policy: Object.fromEntries(policy) } : {}), warnings };
}

type Said = 'ask' | 'deny' | 'allow' | 'nothing' | 'unknown';

/** The stricter of the host's word and the ceiling of an organisation; what is not understood comes first. */
function wordOf({ permission_policy: policy, org_max_permission: most }: Readonly<Record<string, unknown>>): Said {
  const words = [lookUp(POLICIES, policy), lookUp(CEILINGS, most)];
  return STRICTEST_FIRST.find((one) => words.includes(one)) ?? 'nothing';
}

function lookUp(words: ReadonlyMap<unknown, Said>, value: unknown): Said {
  return value === undefined ? 'nothing' : (words.get(value) ?? 'unknown');
}

const STRICTEST_FIRST: readonly Said[] = ['unknown', 'deny', 'ask', 'allow'];
const POLICIES = new Map<unknown, Said>([
  ['always_allow', 'allow'],
  ['always_ask', 'ask'],
  ['always_deny', 'deny'],
]);
const CEILINGS = new Map<unknown, Said>([
  ['allow', 'nothing'],
  ['ask', 'ask'],
  ['blocked', 'deny'],
]);
