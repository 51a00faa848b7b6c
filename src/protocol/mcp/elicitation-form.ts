/** A server's question as shown to the user. Its text is made safe to show; names and values are unchanged. */

export type ElicitationForm = {
  /** The server's name. */
  readonly server: string;
  readonly message: string;
} & (
  | {
      readonly mode: 'form';
      readonly fields: readonly ElicitationField[];
      /** The schema that the fields were read from. */
      readonly schema: Readonly<Record<string, unknown>>;
    }
  /** The complete URL. After a yes without `updatedInput` it is opened on this machine. */
  | { readonly mode: 'url'; readonly url: string }
);

export type ElicitationField = {
  /** As it is sent to the server. */
  readonly name: string;
  /** The server's text, made safe to show. */
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  /** Used if the field is left empty. */
  readonly default?: string | number | boolean | readonly string[];
} & (
  | {
      readonly type: 'string';
      readonly format?: TextFormat;
      readonly minLength?: number;
      readonly maxLength?: number;
    }
  | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly ElicitationChoice[] }
  | {
      readonly type: 'choices';
      readonly choices: readonly ElicitationChoice[];
      readonly minItems?: number;
      readonly maxItems?: number;
    }
);

/** `value` is sent, `label` is shown. */
export type ElicitationChoice = { readonly value: string; readonly label: string };

export const TEXT_FORMATS = ['email', 'uri', 'date', 'date-time'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
