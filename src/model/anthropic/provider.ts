/** The provider for the Messages API: combines its byte format and its fault explanations with any client. */

import type { Environment } from '../../host/host.js';
import { explainFault, type ModelFault } from '../fault.js';
import type { ModelClient } from '../model-client.js';
import type { ModelProvider, ProviderAccount } from '../provider.js';
import { contentLength } from './body.js';
import { credentialSource, endpointOf } from './credential-source.js';
import { freezePrefix, loadPrefix } from './prefix.js';
import { webSearch } from './server-search.js';

export function anthropicProvider(client: ModelClient): ModelProvider {
  return {
    client,
    freezePrefix: (content) => freezePrefix(content),
    loadPrefix,
    contentLength,
    explain,
    search: webSearch,
  };
}

export function anthropicAccount(env: Environment, apiKeyHelper: string | undefined): ProviderAccount {
  return { source: credentialSource(env, apiKeyHelper) ?? 'none', endpoint: endpointOf(env) };
}

function explain(fault: ModelFault): string {
  const reason = explainFault(fault);
  switch (fault.kind) {
    case 'unauthorized':
      return `${reason}. Check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, apiKeyHelper)`;
    case 'not-found':
      return `${reason}. Check --model and ANTHROPIC_BASE_URL`;
    case 'misdirected':
      return `${reason}. Check ANTHROPIC_BASE_URL`;
    case 'unreachable':
    case 'no-connection':
      return `${reason}. Check ANTHROPIC_BASE_URL, the network and the proxy settings`;
    default:
      return reason;
  }
}
