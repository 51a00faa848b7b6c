/** Why a turn came to nothing, when that is nobody's interruption. */

export type TurnFailure = {
  readonly kind: 'failed';
  readonly reason: 'api_error' | 'refused' | 'overflow' | 'max_usd' | 'max_tokens';
  readonly line: string;
};
