/** Filters a project's settings: none that act before the folder is trusted, and none that widen permissions. Pure. */

import { steersShell } from '../../host/programs/process-environment.js';
import { isEmpty } from '../../protocol/json/json-values.js';
import { setSetting } from './merge-settings.js';
import {
  getSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingRow,
  type Settings,
} from './settings-table.js';

export type IgnoredSetting = {
  readonly key: string;
  /** `untrusted`: needs a trusted folder · `reserved`: a project can never set it · `wider`: less strict than the user's. */
  readonly reason: 'untrusted' | 'reserved' | 'wider';
};

/**
 * `own`: the merged settings of the user's own layers, without the project. `answered`: allow rules in this file that the
 * user added by answering a prompt.
 */
export function restrictProject(
  settings: Settings,
  own: Settings,
  trusted: boolean,
  answered: readonly string[],
): { readonly settings: Settings; readonly ignored: readonly IgnoredSetting[] } {
  const permitted: Settings = {};
  const ignored: IgnoredSetting[] = [];
  for (const name of SETTING_NAMES) {
    const value = getSetting(settings, name);
    if (value === undefined) continue;
    const judged = judge(name, value, own, { trusted, answered });
    if (judged.value !== undefined) setSetting(permitted, name, judged.value);
    ignored.push(...judged.ignored);
  }
  return { settings: permitted, ignored };
}

type Trust = { readonly trusted: boolean; readonly answered: readonly string[] };

function judge(name: SettingName, value: unknown, own: Settings, { trusted, answered }: Trust): Judged {
  const { project } = SETTINGS[name];
  switch (project) {
    case 'free':
      return { value, ignored: [] };
    case 'never':
      return { value: undefined, ignored: [{ key: name, reason: 'reserved' }] };
    case 'narrows': {
      const width = compareWidth(name, value, getSetting(own, name));
      if (width < 0) return { value, ignored: [] };
      return { value: undefined, ignored: width === 0 ? [] : [{ key: name, reason: 'wider' }] };
    }
    case 'trusted':
      if (name === 'env') return judgeEnvironment(value as Readonly<Record<string, string>>, trusted);
      if (trusted || isEmpty(value)) return { value, ignored: [] };
      if (name === 'permissions.allow') return keepAnswered(value as readonly string[], answered);
      return { value: undefined, ignored: [{ key: name, reason: 'untrusted' }] };
    default:
      return project satisfies never;
  }
}

function keepAnswered(rules: readonly string[], answered: readonly string[]): Judged {
  const kept = rules.filter((rule) => answered.includes(rule));
  const ignored = kept.length === rules.length ? [] : [{ key: 'permissions.allow', reason: 'untrusted' as const }];
  return { value: kept.length === 0 ? undefined : kept, ignored };
}

type Judged = { readonly value: unknown; readonly ignored: readonly IgnoredSetting[] };

function judgeEnvironment(env: Readonly<Record<string, string>>, trusted: boolean): Judged {
  const entries = Object.entries(env);
  const reserved = entries.filter(([name]) => isReservedForUser(name));
  const rest = entries.filter(([name]) => !isReservedForUser(name));
  const ignored = reserved.map(([name]): IgnoredSetting => ({ key: `env.${name}`, reason: 'reserved' }));
  if (!trusted && rest.length > 0) ignored.push({ key: 'env', reason: 'untrusted' });
  return { value: trusted ? Object.fromEntries(rest) : undefined, ignored };
}

/** Below 0: stricter than the user's own value (or the default). Above 0: wider. */
function compareWidth(name: SettingName, value: unknown, own: unknown): number {
  const { widths, default: byDefault }: SettingRow = SETTINGS[name];
  if (widths === undefined) return Number(Boolean(own)) - Number(Boolean(value));
  return widths.indexOf(value) - widths.indexOf(own ?? byDefault);
}

/**
 * Environment variables that a project may never set, even if trusted: they decide where requests go and with which
 * key, which certificates are trusted, and which code other programs load.
 */
function isReservedForUser(name: string): boolean {
  const upper = name.toUpperCase();
  return (steersShell(upper) || RESERVED.some((pattern) => pattern.test(upper))) && !HARMLESS.test(upper);
}

const HARMLESS = /^(NODE_ENV|BASH_(DEFAULT|MAX)_TIMEOUT_MS|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE))$/;

const RESERVED: readonly RegExp[] = [
  // Endpoints, providers and our own switches.
  /^(ANTHROPIC|CLAUDE|COPPICE|FEATURE|OPENAI|OPENROUTER|GEMINI|MISTRAL|BEDROCK|VERTEX|FOUNDRY|MAX_THINKING)(_|$)/,
  /^(AWS|AZURE|GOOGLE|GCLOUD|CLOUD_ML|CLOUDSDK)_/,
  /(_BASE_URL|_ENDPOINT|_API_URL|_API_HOST|API_BASE)$/,
  // Keys.
  /(API_?KEY|ACCESS_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|_TOKEN|SECRET|CREDENTIALS?|PASSWORD|PASSWD)$/,
  // Proxies and certificates.
  /(^|_)PROXY$/,
  /^(SSL_CERT_|CURL_|WGETRC$|REQUESTS_CA_BUNDLE$|PIP_|NPM_CONFIG_|YARN_|CARGO_|GOPROXY$|GONOSUM|GOFLAGS$|UV_)/,
  /(^|_)(CA_BUNDLE|CA_CERTS?|CAFILE|CA_FILE|CERT_FILE|CERT_DIR|TLS_REJECT_UNAUTHORIZED|SSL_NO_VERIFY|SSLVERIFY)$/,
  // Where programs and their code are found.
  /^(PATH|HOME|SHELL|ENV|IFS|CDPATH|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|ZDOTDIR|TMPDIR|TMP|TEMP|USER|LOGNAME)$/,
  /^(LD|DYLD|BASH|XDG|SSH|GIT|GPG|NODE|DENO|BUN|PYTHON|PERL|PERL5|RUBY|JAVA|JDK|LUA|PHP|GCONV|MALLOC|GLIBC)(_|$)/,
  /^(PYTHON|PERL5|RUBY|LUA)[A-Z0-9]/,
  /^(_JAVA_OPTIONS|CLASSPATH|JAVA_TOOL_OPTIONS|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_.*|MAVEN_OPTS|GRADLE_OPTS)$/,
  /^(RUSTC_WRAPPER|RUSTC|RUSTFLAGS|CC|CXX|LDFLAGS|MAKEFLAGS|MAKEFILES)$/,
  // Programs other programs start.
  /^(.*_)?(EDITOR|VISUAL|PAGER|BROWSER|ASKPASS)$/,
  /^(LESS|LESSOPEN|LESSCLOSE|MANOPT|RIPGREP_CONFIG_PATH|FZF_DEFAULT_COMMAND)$/,
  /^(DOCKER|KUBECONFIG|CONTAINER)(_|$)/,
];
