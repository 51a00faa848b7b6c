/**
 * Environment variables that a project may never set, even if trusted: they decide where requests go and with which
 * key, which certificates are trusted, and which code other programs load.
 */

export function isReservedForPerson(name: string): boolean {
  const upper = name.toUpperCase();
  return RESERVED.some((pattern) => pattern.test(upper)) && !HARMLESS.test(upper);
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
