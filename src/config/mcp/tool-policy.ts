/** Reads the policy for individual tools in a server's entry (`tools`). It can be stricter, but never permits anything. Pure. */

import { isObject } from '../../protocol/json/json-values.js';

/** By the tool's own name. `ask`: prompts for each call. `deny`: the tool is not offered. */
export type ToolPolicy = Readonly<Record<string, 'ask' | 'deny'>>;

export type ReadPolicy = { readonly policy?: ToolPolicy; readonly warnings: readonly string[] };

export function readToolPolicy(tools: unknown): ReadPolicy {
  if (tools === undefined || tools === null) return { warnings: [] };
  if (!Array.isArray(tools))
    return { warnings: ['its "tools" is ignored: it must be a list of {"name", "permission_policy"}'] };
  const policy = new Map<string, 'ask' | 'deny'>();
  const warnings: string[] = [];
  for (const one of tools) {
    const name = isObject(one) && typeof one.name === 'string' ? one.name : undefined;
    const policyOfTool = isObject(one) ? strictestOf(one) : 'unknown';
    if (name === undefined || policyOfTool === 'unknown') {
      warnings.push(`an invalid entry in its "tools" is ignored: ${JSON.stringify(one)?.slice(0, 100)}`);
    } else if (policyOfTool === 'allow') {
      warnings.push(
        `its policy always_allow for ${JSON.stringify(name).slice(0, 80)} has no effect: use an allow rule`,
      );
    } else if (policyOfTool !== 'nothing') {
      policy.set(name, policy.get(name) === 'deny' ? 'deny' : policyOfTool);
    }
  }
  return { ...(policy.size > 0 ? { policy: Object.fromEntries(policy) } : {}), warnings };
}

type Verdict = 'ask' | 'deny' | 'allow' | 'nothing' | 'unknown';

/** The stricter of the host's policy and the organisation's ceiling; an invalid value comes first. */
function strictestOf({
  permission_policy: policy,
  org_max_permission: most,
}: Readonly<Record<string, unknown>>): Verdict {
  const verdicts = [lookUp(POLICIES, policy), lookUp(CEILINGS, most)];
  return STRICTEST_FIRST.find((one) => verdicts.includes(one)) ?? 'nothing';
}

function lookUp(table: ReadonlyMap<unknown, Verdict>, value: unknown): Verdict {
  return value === undefined ? 'nothing' : (table.get(value) ?? 'unknown');
}

const STRICTEST_FIRST: readonly Verdict[] = ['unknown', 'deny', 'ask', 'allow'];
const POLICIES = new Map<unknown, Verdict>([
  ['always_allow', 'allow'],
  ['always_ask', 'ask'],
  ['always_deny', 'deny'],
]);
const CEILINGS = new Map<unknown, Verdict>([
  ['allow', 'nothing'],
  ['ask', 'ask'],
  ['blocked', 'deny'],
]);
