/**
 * Makes text from models, tools, files and servers inert before it reaches a terminal or a page: removes escape
 * sequences, control characters and direction overrides; keeps joiners inside words and emoji (GT-20).
 */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.
/** OSC, DCS, SOS, PM, APC: everything up to their end, at most to the end of the line. */
const STRINGS =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/g;
const SEQUENCES = /(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?/g;
const ESCAPES = /\u001b[\u0020-\u002f]*[\u0030-\u007e]?/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const INVISIBLE = /[\u00ad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;
/** A joiner is legitimate between two visible characters. */
const STRAY_JOINERS =
  /(?<![\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}\p{N}\p{Extended_Pictographic}])/gu;
/** Tag letters spell the flags of regions after a black flag; anywhere else they are hidden text. */
const STRAY_TAGS = /(\u{1f3f4}[\u{e0020}-\u{e007e}]{1,16}\u{e007f})|[\u{e0020}-\u{e007f}]/gu;

/** Most text: letters of English and of western Europe, tabs, line breaks. Nothing below is in it. */
const HARMLESS = /^[\t\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff]*$/;

export function stripControls(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text
    .replace(/\r\n/g, '\n')
    .replace(STRINGS, '')
    .replace(SEQUENCES, '')
    .replace(ESCAPES, '')
    .replace(CONTROLS, '')
    .replace(DIRECTIONS, '')
    .replace(INVISIBLE, '')
    .replace(STRAY_TAGS, '$1')
    .replace(STRAY_JOINERS, '');
}

/** The same, in one line. */
export function stripToLine(text: string): string {
  return stripControls(text).replaceAll('\n', ' ');
}
